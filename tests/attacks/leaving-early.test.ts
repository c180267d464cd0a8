// Who: a caller who hangs up before the answer is complete, again and again, so that the operator's upstream works and
// nobody pays for it.
// What must hold: what an upstream was made to do is charged. It is read to its end where bounds allow, and charged as used;
// where it had to be aborted its cost is unknown, never small, and the charge follows a rule. Whoever makes many upstreams
// be aborted waits.
import { describe, expect, test } from "vitest";
import { operations } from "@/lib/relay/operations";
import { until } from "../relay/harness";
import {
  DIALECT_CASES,
  DISTINCT_CASES,
  LEAVING_CASES,
  type LeavingCase,
  leavingCase,
  OTHER_CASES,
  PICTURE_QUOTA,
  REFUSED,
  setUpLeaving,
} from "./leaving-harness";

const { relay, withOptions, ask, hold, release, breakOff, waiting, begin, allHaveLeft, rowOf, rowsOf } = setUpLeaving();

/** Tasks go on by themselves (tests/relay/operations/tasks.test.ts); a session has charges of its own (tests/attacks/realtime-balance.test.ts). */
const ELSEWHERE = ["realtime", "drawing", "music", "videos"];

test("every operation that an upstream bills is among the cases", () => {
  const tried = new Set(LEAVING_CASES.map(({ operation }) => operation));
  expect(operations.map(({ id }) => id).filter((id) => !tried.has(id))).toEqual(ELSEWHERE);
});

async function stayed(asked: LeavingCase) {
  const { user, token } = await relay.addCaller();
  const response = await ask(token.key, asked);
  await response.arrayBuffer();
  return [asked.name, response.status === 200 ? await rowOf(user) : `status ${response.status}`] as const;
}

/** All ask, and leave when the upstreams have what they asked for. */
async function allLeave(cases: readonly LeavingCase[]): Promise<number[]> {
  const leaving = await Promise.all(
    cases.map(async (asked) => {
      const { user, token } = await relay.addCaller();
      return { user, ...begin(token.key, asked) };
    }),
  );
  await until(() => waiting() === cases.length, 20_000);
  for (const { leave } of leaving) leave();
  await allHaveLeft();
  return leaving.map(({ user }) => user);
}

describe("an answer that nobody waits for", () => {
  test.each([
    ["before anything of it has arrived", "all"],
    ["while the upstream thinks", "bodies"],
  ] as const)(
    "%s is charged as if its caller had stayed, and costs as much: every operation and dialect",
    async (_, what) => {
      const cases = what === "all" ? LEAVING_CASES : LEAVING_CASES.filter(({ isStream }) => isStream);
      const wanted = await Promise.all(cases.map(stayed));
      hold(what);
      const users = await allLeave(cases);
      release();
      const got = await Promise.all(cases.map(async ({ name }, at) => [name, await rowOf(users[at] ?? 0)] as const));
      expect(Object.fromEntries(got)).toEqual(Object.fromEntries(wanted));
      expect(got.filter(([, { cost, unknown }]) => cost === null || unknown > 0)).toEqual([]);
    },
  );
});

const CHAT = "openai-chat at openai-chat, whole";
const THOUGHT = "openai-chat at openai-chat, streamed";
const WRITTEN = 39;

test("an answer for which the caller had waited longer than other channels are given is charged when it comes after all", async () => {
  await withOptions({ UpstreamFirstByteWholeSeconds: "0.01" });
  hold();
  const users = await allLeave([leavingCase(CHAT)]);
  release();
  expect(await rowOf(users[0] ?? 0)).toMatchObject({ quota: WRITTEN, cost: WRITTEN });
});

describe("many at once", () => {
  test.each([
    ["20 pictures", "/v1/images/generations, streamed", 20, PICTURE_QUOTA],
    ["40 whole answers", CHAT, 40, WRITTEN],
    ["40 streams in unseen thought", THOUGHT, 40, WRITTEN],
  ] as const)("%s that are left are all charged", async (_, name, count, quota) => {
    await withOptions({ StreamDrainsPerUserMax: "64", StreamDrainsMax: "256", AbandonedRequestsMax: "100" });
    const { user, token } = await relay.addCaller({ balance: 50_000_000 });
    hold(name === THOUGHT ? "bodies" : "all");
    const leaving = Array.from({ length: count }, () => begin(token.key, leavingCase(name)));
    await until(() => waiting() === count, 20_000);
    for (const { leave } of leaving) leave();
    await allHaveLeft();
    release();
    const rows = await rowsOf(user, count);
    expect(rows.reduce((sum, row) => sum + row.quota, 0)).toBe(count * quota);
    expect(rows.filter(({ cost, unknown }) => cost !== quota || unknown > 0)).toEqual([]);
  });

  test.each([
    ["dialect", DIALECT_CASES],
    ["other operation", OTHER_CASES],
  ])(
    "40 at once on a balance of 40,000 never bring it below 0, and all that upstreams did is charged: every %s",
    async (_, cases) => {
      await withOptions({});
      const wanted = new Map(await Promise.all(cases.map(stayed)));
      hold();
      const all = await Promise.all(cases.map(manyBegin));
      await until(() => waiting() + all.reduce((sum, { refused }) => sum + refused(), 0) === 40 * all.length, 30_000);
      for (const { leave } of all) leave();
      await allHaveLeft();
      release();
      const ended = all.map(async ({ name, user, refused }) => {
        const rows = await rowsOf(user, 40 - refused());
        return {
          name,
          rows: rows.map(({ quota, unknown }) => [quota, unknown]),
          balance: (await relay.balanceOf(user)).quota,
        };
      });
      for (const { name, rows, balance } of await Promise.all(ended)) {
        const alone = wanted.get(name);
        if (typeof alone !== "object") throw new Error(`${name}: ${alone}`);
        expect([name, rows.length > 0, rows]).toEqual([name, true, rows.map(() => [alone.quota, 0])]);
        expect([name, balance]).toEqual([name, 40_000 - rows.length * alone.quota]);
        expect([name, balance >= 0]).toEqual([name, true]);
      }
    },
  );
});

/** 40 requests of a caller with a balance of 40,000. */
async function manyBegin(asked: LeavingCase) {
  const { user, token } = await relay.addCaller({ balance: 40_000 });
  let refused = 0;
  const leaving = Array.from({ length: 40 }, () => begin(token.key, asked));
  for (const { over } of leaving) {
    void over.then((status) => {
      if (status !== null) refused += 1;
    });
  }
  const leave = (): void => {
    for (const one of leaving) one.leave();
  };
  return { name: asked.name, user, leave, refused: () => refused };
}

describe("an upstream that has to be aborted", () => {
  test("has an unknown cost, and what was asked of it is charged: every operation and dialect", async () => {
    await withOptions({ UnseenDrainSeconds: "0" });
    const wanted = new Map(await Promise.all(DISTINCT_CASES.map(stayed)));
    hold();
    const users = await allLeave(DISTINCT_CASES);
    const rows = await Promise.all(users.map(rowOf));
    release();
    for (const [at, row] of rows.entries()) {
      const { name, operation } = DISTINCT_CASES[at] ?? leavingCase("");
      const stay = wanted.get(name);
      if (typeof stay !== "object") throw new Error(`${name}: ${stay}`);
      expect([name, row.cost, row.unknown]).toEqual([name, null, 1]);
      // Of pictures and of sound the request says what they cost; of texts, it says what the prompt does.
      if (operation.startsWith("image")) expect([name, row.quota]).toEqual([name, stay.quota]);
      else expect([name, row.quota > 0]).toEqual([name, true]);
    }
  });

  test("is aborted, and unknown, beyond the answers of one user that are read to their end", async () => {
    await withOptions({ StreamDrainsPerUserMax: "3" });
    const { user, token } = await relay.addCaller();
    hold();
    const leaving = Array.from({ length: 8 }, () => begin(token.key, leavingCase(CHAT)));
    await until(() => waiting() === 8, 20_000);
    for (const { leave } of leaving) leave();
    await rowsOf(user, 5);
    const other = await relay.addCaller();
    const { leave } = begin(other.token.key, leavingCase(CHAT));
    await until(() => waiting() === 4, 20_000);
    leave();
    await allHaveLeft();
    release();
    expect((await rowsOf(user, 8)).filter(({ unknown }) => unknown === 0)).toHaveLength(3);
    expect(await rowOf(other.user)).toMatchObject({ quota: WRITTEN, unknown: 0 });
  });

  test("is left in peace by whoever has made it be aborted too often, until he has read answers or waited", async () => {
    await withOptions({ UnseenDrainSeconds: "0", AbandonedRequestsMax: "3" });
    const { user, token } = await relay.addCaller();
    hold();
    const leaving = Array.from({ length: 3 }, () => begin(token.key, leavingCase(CHAT)));
    await until(() => waiting() === 3, 20_000);
    for (const { leave } of leaving) leave();
    await rowsOf(user, 3);
    release();
    const refused = await ask((await relay.addToken(user)).key, leavingCase(CHAT));
    // Three minutes, for which no program is to wait.
    const told = ["retry-after", "x-should-retry"].map((name) => refused.headers.get(name));
    expect([refused.status, ...told]).toEqual([429, null, "false"]);
    expect(Date.parse(refused.headers.get("x-weir-resets-at") ?? "")).toBeGreaterThan(Date.now());
    expect(await refused.json()).toMatchObject({ error: { code: "too_many_abandoned_requests" } });
    const other = await relay.addCaller();
    expect((await ask(other.token.key, leavingCase(CHAT))).status).toBe(200);
    expect(await rowsOf(user, 3)).toHaveLength(3);
  });
});

describe("an upstream that fails when its caller has left", () => {
  test("with a refusal costs nobody anything", async () => {
    await withOptions({});
    hold();
    const body = () => ({ model: REFUSED, voice: "alloy", input: "hello there" });
    const users = await allLeave([{ ...leavingCase("/v1/audio/speech"), body }]);
    release();
    const row = await rowOf(users[0] ?? 0);
    expect(row).toMatchObject({ quota: 0, cost: 0, unknown: 0 });
  });

  test("costs the caller nothing, as if it had stayed; what it worked is unknown", async () => {
    await withOptions({});
    hold();
    const users = await allLeave(DISTINCT_CASES);
    breakOff();
    const rows = await Promise.all(users.map(rowOf));
    expect(rows.map(({ quota, cost, unknown }) => [quota, cost, unknown])).toEqual(rows.map(() => [0, null, 1]));
  });

  test.each([
    ["the wait of whoever stays", { UpstreamAloneSeconds: "1" }],
    ["the time of a drain, which is shorter", { UnseenDrainSeconds: "2", UpstreamAloneSeconds: "60" }],
  ])(
    "by hanging costs nothing, as if the caller had stayed, and counts against nobody, after %s",
    async (_, limits) => {
      const short = {
        UpstreamFirstByteSeconds: "1",
        UpstreamFirstByteWholeSeconds: "1",
        UpstreamFirstTokenSeconds: "1",
      };
      await withOptions({ ...short, AbandonedRequestsMax: "1", ...limits });
      hold();
      const users = await allLeave(DIALECT_CASES);
      const rows = await Promise.all(users.map(rowOf));
      const [row] = users;
      release();
      expect(rows.map(({ quota, cost, unknown }) => [quota, cost, unknown])).toEqual(rows.map(() => [0, null, 1]));
      const again = await ask((await relay.addToken(row ?? 0)).key, leavingCase(CHAT));
      expect(again.status).toBe(200);
    },
  );

  test.each([
    ["streamed", "openai-chat at openai-chat, streamed"],
    ["whole", CHAT],
  ])("by hanging after its headers costs nothing, as if the caller had stayed: %s", async (_, name) => {
    await withOptions({
      UpstreamFirstByteWholeSeconds: "1",
      UpstreamFirstTokenSeconds: "1",
      UpstreamAloneSeconds: "1",
    });
    hold("bodies");
    const users = await allLeave([leavingCase(name)]);
    const row = await rowOf(users[0] ?? 0);
    release();
    expect(row).toMatchObject({ quota: 0, cost: null, unknown: 1 });
  });
});
