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

/**
 * The tables of the paying path of which a statement looks at rows without naming the user. A row that is inserted has its
 * user, because the column must not be null.
 */
export function readWithoutUser(plan: PlanNode, above: readonly PlanNode[] = []): string[] {
  const below = (plan.Plans ?? []).flatMap((part) => readWithoutUser(part, [...above, plan]));
  const relation = plan["Relation Name"];
  if (relation === undefined || placementOf(relation) !== "paying" || plan["Node Type"] === "ModifyTable") return below;
  const table = tableOf(relation);
  const names = new Set([plan.Alias ?? relation, (plan.Alias ?? relation).replace(/_\d+$/, "")]);
  const column = userColumnOf(table);
  const isNamed = [plan, ...above].some((node) =>
    [...names].some((name) => conditionsOf(node).some((text) => comparesUser(text, name, column))),
  );
  return isNamed ? below : [table, ...below];
}

const CONDITIONS = ["Index Cond", "Recheck Cond", "Filter", "Hash Cond", "Merge Cond", "Join Filter"];

function conditionsOf(node: PlanNode): string[] {
  return CONDITIONS.flatMap((name) => (typeof node[name] === "string" ? [node[name]] : []));
}

/** An equation or a list; a bound or "is not null" names no user. */
function comparesUser(condition: string, alias: string, column: string): boolean {
  const quoted = `\\(*"?${alias}"?\\.${column}\\)*(?:::\\w+)?`;
  return new RegExp(`${quoted} = |= ${quoted}(?![\\w.])`).test(condition);
}

function tableOf(relation: string): string {
  return relation.startsWith("usage_logs_") ? "usage_logs" : relation;
}
