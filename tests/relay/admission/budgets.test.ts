import { beforeAll, describe, expect, test } from "vitest";
import { returnBudget, takeBudget } from "@/lib/relay/admission/limits/budget-commands";
import { chatBody, type Relay, setUpRelay, until } from "../harness";

const slow = "fake-gpt:delay=300";
const long = "fake-gpt:chunks=3000";
const models = `fake-gpt,fake-error-400,${slow},${long}`;
/** A whole answer of fake-gpt: 12 tokens in, 13 out at two quota each. Some 75 are reserved while it runs. */
const COST = 38;
/** Null = the real one. */
let clock: number | null = null;
const gateway = { nowSeconds: () => clock ?? Date.now() / 1_000 };
const relay = setUpRelay({ prices: models, channels: [{ models }], gateway });
/** A second gateway process of the same system. */
let beside: Awaited<ReturnType<Relay["startBeside"]>>;

beforeAll(async () => {
  beside = await relay.startBeside();
});

const small = (model = "fake-gpt"): string => chatBody(model, { max_tokens: 13 });

/** Sends the requests alternately to both processes; returns the sorted statuses. */
async function burst(key: string, amount: number, model: string): Promise<number[]> {
  const sent = Array.from({ length: amount }, (_, i) => (i % 2 === 0 ? relay : beside).post(key, small(model)));
  return (await Promise.all(sent)).map(({ status }) => status).sort();
}

const spentBy = async (user: number): Promise<number> => (await relay.balanceOf(user)).used;

/** A minute before midnight of a Sunday to come, later than anything that these tests spend. */
function sundayNight(zone: string): number {
  const day = new Date(Date.now() + 2 * 86_400_000);
  day.setUTCDate(day.getUTCDate() + ((7 - day.getUTCDay()) % 7));
  return Date.parse(`${day.toISOString().slice(0, 10)}T23:59:00${zone}`) / 1_000;
}

describe("a budget", () => {
  test("20 requests at once over two processes never spend more, and its refusals cost nothing", async () => {
    const user = await relay.addUser({ budgetDay: 5 * COST + 30 });
    const { key } = await relay.addToken(user);
    const statuses = await burst(key, 20, slow);
    expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([]);
    expect(await spentBy(user)).toBeLessThanOrEqual(5 * COST + 30);
    // What was not needed goes back, so that in the end the budget is used as far as whole requests fit.
    await until(async () => {
      await relay.post(key, small());
      return (await spentBy(user)) > 3 * COST;
    });
    await until(async () => (await relay.post(key, small())).wire.error?.code === "budget_exceeded");
    expect(await spentBy(user)).toBeLessThanOrEqual(5 * COST + 30);
  });

  test("of a token leaves the user's other tokens alone", async () => {
    const user = await relay.addUser();
    const limited = await relay.addToken(user, { budgetMonth: 100 });
    const free = await relay.addToken(user);
    await until(async () => (await relay.post(limited.key, small())).status === 429);
    expect((await relay.post(free.key, small())).status).toBe(200);
  });

  test("counts what was spent before it was set", async () => {
    const user = await relay.addUser();
    const { key } = await relay.addToken(user);
    for (let i = 0; i < 3; i++) expect((await relay.post(key, small())).status).toBe(200);
    await relay.database.sql`update users set budget_day = ${3 * COST + 5} where id = ${user}`;
    await until(async () => (await relay.post(key, small())).wire.error?.code === "budget_exceeded");
    await relay.database.sql`update users set budget_day = 0 where id = ${user}`;
    await until(async () => (await relay.post(key, small())).status === 200);
  });

  test("begins anew at midnight of the operator's time zone, a week on Monday", async () => {
    await relay.setOption("BudgetTimeZone", "Asia/Shanghai");
    await relay.inForce();
    clock = sundayNight("+08:00");
    const user = await relay.addUser({ budgetDay: 100 });
    const weekly = await relay.addUser({ budgetDay: 100, budgetWeek: 100 });
    const keys = [(await relay.addToken(user)).key, (await relay.addToken(weekly)).key];
    for (const key of keys) {
      expect((await relay.post(key, small())).status).toBe(200);
      const used = await refusedOf(key);
      expect(used.wire.error.code).toBe("budget_exceeded");
      const { headers } = used;
      expect([headers.get("retry-after"), headers.get("x-should-retry")]).toEqual([null, "false"]);
      expect(Date.parse(headers.get("x-weir-resets-at") ?? "")).toBe(((clock ?? 0) + 60) * 1_000);
      expect(used.wire.error.message).toMatch(/budget for this \w+ .*: \$[\d.]+ of \$[\d.]+ are used/);
    }
    expect((await refusedOf(keys[1] ?? "")).wire.error.message).toContain("for this week");

    clock += 61;
    for (const key of keys) await until(async () => (await beside.post(key, small())).status === 200);
    clock += 86_400;
    await until(async () => (await relay.post(keys[0] ?? "", small())).status === 200);
    expect((await refusedOf(keys[1] ?? "")).wire.error.message).toContain("for this week");
    clock = null;
    await relay.setOption("BudgetTimeZone", "UTC");
    await relay.inForce();
  });

  async function refusedOf(key: string) {
    let answer = await relay.post(key, small());
    await until(async () => {
      if (answer.status !== 429 || answer.wire.error.code !== "budget_exceeded")
        answer = await relay.post(key, small());
      return answer.wire.error.code === "budget_exceeded";
    });
    return answer;
  }

  test("ends a long stream where it is used up, as a balance does", async () => {
    const user = await relay.addUser({ budgetDay: 6_000, balance: 100_000 });
    const { key } = await relay.addToken(user);
    const { status, text } = await relay.post(key, chatBody(long, { stream: true }));
    expect(status).toBe(200);
    expect(text).toContain("[DONE]");
    // What was delivered is known by its length until the upstream reports it.
    expect(await spentBy(user)).toBeLessThan(6_000 * 1.05);
    expect(await spentBy(user)).toBeGreaterThan(5_000);
  });

  test("a request that fails takes nothing of it", async () => {
    const user = await relay.addUser({ budgetDay: 100 });
    const { key } = await relay.addToken(user);
    for (let i = 0; i < 5; i++) expect((await relay.post(key, small("fake-error-400"))).status).toBe(400);
    expect((await relay.post(key, small())).status).toBe(200);
  });

  test("the parts of a process that died come back with its node", async () => {
    const { sql } = relay.database;
    const user = await relay.addUser({ budgetDay: 100 });
    const { key } = await relay.addToken(user);
    const dead = "00000000-0000-4000-8000-00000000dead";
    await sql`insert into nodes (id, heartbeat_at) values (${dead}, now())`;
    const owner = { owner: "user", id: user, userId: user, limits: [100, 0, 0] } as const;
    const ask = { starts: [0, 0, 0], wanted: 100, needed: 100, least: 100, dropped: 0 };
    expect(await takeBudget(sql, dead, owner, ask)).toEqual({ granted: 100, lefts: [100, null, null] });
    const refused = await relay.post(key, small());
    expect([refused.status, refused.wire.error.code]).toEqual([429, "budget_reserved"]);
    expect(refused.headers.get("retry-after")).toBe("1");
    await sql`delete from nodes where id = ${dead}`;
    expect((await relay.post(key, small())).status).toBe(200);
    await returnBudget(sql, dead, owner, 100);
  });
});
