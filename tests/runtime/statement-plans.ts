import { placementOf, userColumnOf } from "@/db/placement";

/** What auto_explain writes of a statement. */
export type PlannedStatement = { application: string; text: string; plan: PlanNode };

export type PlanNode = {
  "Node Type": string;
  "Relation Name"?: string;
  Alias?: string;
  Operation?: string;
  Plans?: PlanNode[];
  [more: string]: unknown;
};

/** Of a server with these settings, the log has every statement with its plan, those within functions too. */
export const EXPLAIN_ALL = {
  session_preload_libraries: "auto_explain",
  "auto_explain.log_min_duration": "0",
  "auto_explain.log_nested_statements": "on",
  "auto_explain.log_format": "json",
  "auto_explain.log_verbose": "on",
  log_min_messages: "log",
  log_line_prefix: "@@%a@@ ",
};

/** Reads the plans out of a server's log. */
export function readPlans(log: string): PlannedStatement[] {
  return log.split(/^@@/m).flatMap((entry) => {
    const [, application = "", body = ""] = /^([^@]*)@@ LOG: {2}duration: [^\n]* plan:\n([\s\S]*)$/.exec(entry) ?? [];
    if (body === "") return [];
    const found = JSON.parse(body.replaceAll(/\t/g, " ")) as { "Query Text": string; Plan: PlanNode };
    return [{ application, text: found["Query Text"].replaceAll(/\s+/g, " ").trim(), plan: found.Plan }];
  });
}

/** The tables of the paying path that a statement reads or writes. */
export function tablesOf(plan: PlanNode): string[] {
  const own = plan["Relation Name"];
  const below = (plan.Plans ?? []).flatMap(tablesOf);
  return own !== undefined && placementOf(own) === "paying" ? [tableOf(own), ...below] : below;
}

type Scan = { table: string; names: readonly string[]; conditions: readonly string[] };

/**
 * The tables of the paying path of which a statement looks at rows without naming the user: the user's column is equal to
 * nothing, or only to that of another such table. A row that is inserted has its user, because the column must not be null.
 */
export function readWithoutUser(plan: PlanNode): string[] {
  const open = new Set(scansOf(plan));
  for (let before = -1; before !== open.size; ) {
    before = open.size;
    const unnamed = new Set([...open].flatMap(({ names }) => names));
    for (const scan of open) {
      const equals = scan.conditions.flatMap((condition) => equalsOf(condition, scan.names));
      if (equals.some((other) => !unnamed.has(other))) open.delete(scan);
    }
  }
  return [...open].map(({ table }) => table);
}

/** With the conditions of the joins that a scan is part of. */
function scansOf(plan: PlanNode, above: readonly string[] = []): Scan[] {
  const conditions = [...above, ...conditionsOf(plan)];
  const below = (plan.Plans ?? []).flatMap((part) => scansOf(part, conditions));
  const relation = plan["Relation Name"];
  if (relation === undefined || placementOf(relation) !== "paying" || plan["Node Type"] === "ModifyTable") return below;
  const [table, alias] = [tableOf(relation), plan.Alias ?? relation];
  // A partition has a number behind the name of its table.
  const names = [alias, alias.replace(/_\d+$/, "")].map((name) => `${name}.${userColumnOf(table)}`);
  return [{ table, names, conditions }, ...below];
}

const CONDITIONS = ["Index Cond", "Recheck Cond", "Filter", "Hash Cond", "Merge Cond", "Join Filter"];

function conditionsOf(node: PlanNode): string[] {
  return CONDITIONS.flatMap((name) => (typeof node[name] === "string" ? [node[name]] : []));
}

/** What these columns are equal to. A bound, "is not null" or one of several alternatives says nothing of a row's user. */
function equalsOf(condition: string, columns: readonly string[]): string[] {
  return condition.split(" AND ").flatMap((part) => {
    if (part.includes(" OR ")) return [];
    const [left, right] = part.replaceAll(/::[\w ]+(?=\)| = |$)|"/g, "").split(" = ");
    const [of, to] = [/('?[\w.$-]+'?)\)*$/.exec(left ?? "")?.[1], /^\(*('?[\w.$-]+)/.exec(right ?? "")?.[1]];
    if (of === undefined || to === undefined) return [];
    return columns.includes(of) ? [to] : columns.includes(to) ? [of] : [];
  });
}

function tableOf(relation: string): string {
  return relation.replace(/^(usage_logs|settled_requests)_.*/, "$1");
}
