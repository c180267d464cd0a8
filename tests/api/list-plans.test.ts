import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createDatabase, type DatabaseHandle, type Sql } from "@/db/client";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { listLogs } from "@/lib/usage-log/queries";
import { listUsers } from "@/lib/user/queries";
import { generateScale } from "@/tools/bench/generate-scale";
import { accountCases, channelCases, mediaCases, moneyCases, otherCases } from "@/tools/bench/list-cases";
import { type Case, findPeople, type People } from "@/tools/bench/list-people";
import { chartCases, logCases } from "@/tools/bench/usage-cases";

/**
 * The planner would scan these small tables sequentially. The test disables that, so that the plan shows which indexes
 * it can use.
 */
const SIZE = {
  channels: 3_000,
  users: 8_000,
  tokens: 8_000,
  redemptions: 4_000,
  logs: 20_000,
  days: 2,
  operations: 10_000,
  audits: 4_000,
};
/** As many as a case has choices: orders, persons, words and pages follow from the turn. */
const TURNS = 4;
/** For tens of thousands of rows, and for hundreds of statements that are planned one after the other. */
const ASKING_MS = 120_000;
const LARGE =
  /^(users|tokens|channels|redemptions|top_ups|payment_callbacks|ledger_entries|audit_entries|tasks|usage_(logs|hourly|spans|model_hours|user_hours|channel_model_spans)\w*|channel_hourly)$/;

/** Statements that must read a whole table, by reason. */
const WHOLE_TABLE: Record<string, RegExp> = {
  "an index on a figure that every charge changes would cost each charge more than these lists save":
    /^(users|channels): (deep pages )?by (quota|usedQuota|requestCount)$/,
  "figures of traffic are in no column of the channels": /^channels: by (successRate|p95Ms|firstTokenP95Ms)$/,
  "what all channels serve, or have in common, is read from all channels":
    /^(prices|models)|^channels: (what can be chosen|the whole page)/,
  "the same statements with another offset": /deep pages/,
  "an index of three letters does not know one or two": /one or two letters$|^palette|what can be chosen/,
};

type Plan = {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Index Cond"?: string;
  "Plan Rows": number;
  Filter?: string;
  "Rows Removed by Filter"?: number;
  "Actual Loops"?: number;
  Plans?: Plan[];
};
type Statement = { text: string; parameters: unknown[] };

let database: TestDatabase;
let listened: DatabaseHandle;
let people: People;
let heard: Statement[] = [];
/** Row counts of each table and partition. */
let rowsOf: Map<string, number>;

beforeAll(async () => {
  database = await createTestDatabase();
  await generateScale(database.url, SIZE);
  listened = createDatabase({
    url: database.url,
    max: 10,
    applicationName: "weir-test",
    isForSearches: true,
    onStatement: (text, parameters) => heard.push({ text, parameters: [...parameters] }),
  });
  people = await findPeople(listened);
  const sizes = await database.sql<{ name: string; rows: number }[]>`
    select relname as name, greatest(reltuples, 0)::bigint as rows from pg_class where relkind = 'r'`;
  rowsOf = new Map(sizes.map(({ name, rows }) => [name, rows]));
}, ASKING_MS);
afterAll(async () => {
  await listened.end();
  await database.drop();
});

/** Parts of a statement's plan that read a large table without the help of an index. */
async function faultsOf(sql: Sql, { text, parameters }: Statement): Promise<string[]> {
  await sql`set enable_seqscan = off`;
  const [row] = await sql.unsafe<{ "QUERY PLAN": { Plan: Plan }[] }[]>(
    `explain (format json) ${text}`,
    parameters as never[],
  );
  const plan = row?.["QUERY PLAN"][0]?.Plan;
  if (!plan) throw new Error(`no plan of ${text}`);
  return faultsIn(plan, false).map((fault) => `${fault} in ${text.replace(/\s+/g, " ").slice(0, 400)}`);
}

/** `isBounded`: rows are read one by one only until a page is full. */
function faultsIn(plan: Plan, isBounded: boolean): string[] {
  const { "Node Type": type, "Relation Name": table = "" } = plan;
  const own = LARGE.test(table) ? faultOf(plan, isBounded) : null;
  // A full sort, an aggregate or a hash table reads all rows below it.
  const takesAll = /^(Sort|Aggregate|Hash|Materialize|WindowAgg|Gather)/.test(type);
  const below = takesAll ? false : isBounded || type === "Limit";
  return [...(own ? [own] : []), ...(plan.Plans ?? []).flatMap((part) => faultsIn(part, below))];
}

/** If fewer rows than this share match, reading in the order of an unrelated index is too slow. */
const RARE = 0.01;
/** If more rows than this share match, a count reads most of any index. */
const COMMON = 0.2;
/** The names of so many rows are a few pages of an index. */
const FEW_ROWS = 5_000;

function faultOf(plan: Plan, isBounded: boolean): string | null {
  const { "Node Type": type, "Relation Name": table = "", "Index Name": index = "", Filter: filter } = plan;
  const rows = rowsOf.get(table) ?? 0;
  if (rows === 0) return null;
  if (type === "Seq Scan") return `all of ${table} (${filter ?? "no filter"})`;
  if (plan["Index Cond"] || !/^Index( Only)? Scan/.test(type)) return null;
  const share = filter ? plan["Plan Rows"] / rows : 1;
  if (isBounded && share > RARE) return null;
  // Reading all of an index with few columns or few rows is cheap.
  if ((type === "Index Only Scan" && (share > COMMON || rows <= FEW_ROWS)) || index === "users_deleted_idx")
    return null;
  return `all of ${index} (${filter ?? "no filter"}, ${plan["Plan Rows"]} of ${rows})`;
}

async function statementsOf({ run }: Case): Promise<Statement[]> {
  heard = [];
  for (let turn = 0; turn < TURNS; turn++) await run(turn);
  const reads = heard.filter(({ text }) => /^\s*(select|with|\()/i.test(text) && !text.includes("pg_catalog"));
  return [...new Map(reads.map((statement) => [JSON.stringify(statement), statement])).values()];
}

const isExcepted = ({ name }: Case) => Object.values(WHOLE_TABLE).some((pattern) => pattern.test(name));

const GROUPS: Record<string, (people: People) => Case[]> = {
  channels: channelCases,
  "users and tokens": accountCases,
  "codes, purchases and wallets": moneyCases,
  "drawings and tasks": mediaCases,
  "the usage log": logCases,
  charts: chartCases,
  "the palette, prices and the audit log": otherCases,
};

describe("no list, search, filter or chart reads a large table without an index:", () => {
  test.each(Object.entries(GROUPS))(
    "%s",
    async (_name, casesOf) => {
      const faults: string[] = [];
      let asked = 0;
      for (const one of casesOf(people).filter((given) => !isExcepted(given))) {
        for (const statement of await statementsOf(one)) {
          asked++;
          faults.push(...(await faultsOf(database.sql, statement)).map((fault) => `${one.name}: ${fault}`));
        }
      }
      expect(asked).toBeGreaterThan(10);
      expect(faults).toEqual([]);
    },
    ASKING_MS,
  );
});

test("a model that no channel has is looked for among refusals alone, not in all of the log (B250)", async () => {
  for (const modelName of ["none", "%none%"]) {
    heard = [];
    await listLogs(people.admin.ctx, { modelName });
    const reads = heard.filter(
      ({ text }) => /from "usage_logs"|select \* from "usage_logs"/.test(text) && text.includes("requested_model"),
    );
    expect(reads.length).toBe(2);
    for (const { text, parameters } of reads) {
      const [row] = await database.sql.unsafe<{ "QUERY PLAN": { Plan: Plan }[] }[]>(
        `explain (analyze, format json) ${text}`,
        parameters as never[],
      );
      const plan = row?.["QUERY PLAN"][0]?.Plan;
      if (!plan) throw new Error(`no plan of ${text}`);
      expect(removedIn(plan), text).toBeLessThan(SIZE.logs * RARE);
    }
  }
});

test("the rows of a user at a channel are counted by an index alone (B250)", async () => {
  heard = [];
  await listLogs(people.admin.ctx, { username: people.names[0] ?? "", channelId: 7 });
  const statement = heard.find(({ text }) => text.includes("count(*)"));
  if (!statement) throw new Error("no statement");
  await database.sql
    .begin(async (tx) => {
      await tx`set local enable_seqscan = off`;
      // The index of the account would do for few rows; of a busy channel and a busy user it would not.
      await tx`drop index usage_logs_account_idx`;
      const [row] = await tx.unsafe(`explain (format json) ${statement.text}`, statement.parameters as never[]);
      const text = JSON.stringify(row);
      expect(text).toContain("Index Only Scan");
      expect(text).not.toMatch(/"Node Type":"(Index|Bitmap Heap|Seq) Scan"/);
      throw new Error("taken back");
    })
    .catch((error: Error) => expect(error.message).toBe("taken back"));
});

/** Rows that were read and met no condition. */
function removedIn(plan: Plan): number {
  const own = (plan["Rows Removed by Filter"] ?? 0) * (plan["Actual Loops"] ?? 1);
  return (plan.Plans ?? []).reduce((sum, part) => sum + removedIn(part), own);
}

test("a search whose index is gone is found out", async () => {
  heard = [];
  await listUsers(people.root.ctx, { keyword: "user7777" });
  const statement = heard.find(({ text }) => text.includes("count(*)"));
  if (!statement) throw new Error("no statement");
  expect(await faultsOf(database.sql, statement)).toEqual([]);
  await database.sql
    .begin(async (tx) => {
      await tx`drop index users_search_idx`;
      expect(await faultsOf(tx as unknown as Sql, statement)).toHaveLength(1);
      throw new Error("taken back");
    })
    .catch((error: Error) => expect(error.message).toBe("taken back"));
});
