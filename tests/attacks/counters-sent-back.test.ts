/**
 * Who: nobody in particular: a script, a form or a second tab that sends back a row which it read before requests were charged.
 * With what: every command of /api and the console that carries a counter: an account's balance, a key's limit, a channel's used
 * quota, the amount of a code. What must hold: no unit appears or goes. What was spent since the reading is not given back, a
 * change is the difference to what was read, and the books agree.
 */
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as channelApi from "@/app/api/channel/[[...path]]/route";
import * as redemptionApi from "@/app/api/redemption/[[...path]]/route";
import * as userApi from "@/app/api/user/[[...path]]/route";
import type { Quota } from "@/lib/billing/quota";
import { reconcile } from "@/lib/billing/reconcile";
import { bookSettlements } from "@/lib/billing/settlement-batch";
import { encodeSettlement } from "@/lib/billing/settlement-row";
import type { ServiceContext } from "@/lib/context";
import { LOG_TYPE } from "@/lib/row-status";
import {
  type BillingProcess,
  createBilledChannel,
  createBilledToken,
  createBilledUser,
  settlementOf,
  startBillingProcess,
} from "@/lib/testing/billing";
import { updateToken } from "@/lib/token/commands";
import { updateUser } from "@/lib/user/commands";
import { call, setUpApi, type Table } from "../api/harness";

const api = setUpApi();
const START = 100_000;
let gateway: BillingProcess;
let owner: { userId: number; tokenId: number; channelId: number };

beforeAll(async () => {
  gateway = await startBillingProcess(api.database.url);
});
afterAll(() => gateway.stop());

type Row = { id: number } & Record<string, unknown>;

async function begin(): Promise<void> {
  const userId = await createBilledUser(api.database, START);
  const channelId = await createBilledChannel(api.database);
  await api.database.sql`update channels set tag = ${`tag-${channelId}`}, models = 'gpt-4o' where id = ${channelId}`;
  owner = { userId, tokenId: await createBilledToken(api.database, userId, START), channelId };
}

const send = async (table: Table, line: string, body: object): Promise<Row> => {
  const { json } = await call(table, line, { as: api.root, body });
  expect(json.success, `${line}: ${json.message}`).toBe(true);
  return json.data;
};
const get = async (table: Table, line: string) => (await call(table, line, { as: api.root })).json.data as Row;
const readUser = () => get(userApi, `GET /api/user/${owner.userId}`);
const readChannel = () => get(channelApi, `GET /api/channel/${owner.channelId}`);
const putUser = (body: object) => send(userApi, "PUT /api/user/", body);
const spend = (quota: number) => gateway.settler.settle(settlementOf({ ...owner, quota }));

async function counters() {
  const { userId, tokenId, channelId } = owner;
  const [row] = await api.database.sql<Record<string, number>[]>`
    select users.quota as balance, users.used_quota as used, tokens.remain_quota as remain, tokens.used_quota as "keyUsed",
      channels.used_quota + coalesce((select sum(quota) from channel_charges where channel_id = ${channelId}), 0)::bigint as "channelUsed"
    from users, tokens, channels where users.id = ${userId} and tokens.id = ${tokenId} and channels.id = ${channelId}`;
  return row;
}

const context = (id: number, role: number): ServiceContext => ({
  ...api.database,
  actor: { type: "user", id, username: String(id), role, group: "default", via: "session" },
  clientIp: "",
});

test("an account's row that was read before, sent back with another name, does not give back what was spent", async () => {
  await begin();
  const row = await readUser();
  await spend(4_000);
  const renamed = await putUser({ ...row, display_name: "renamed" });
  expect(renamed).toMatchObject({ display_name: "renamed", quota: START - 4_000, used_quota: 4_000 });
  expect(
    await api.database.sql`select 1 from ledger_entries where user_id = ${owner.userId} and kind = 'adjustment'`,
  ).toEqual([]);
});

test("a balance raised or lowered in an old row changes by the difference, also below what was spent", async () => {
  await begin();
  const row = await readUser();
  await spend(4_000);
  expect((await putUser({ ...row, quota: START + 500 })).quota).toBe(START - 4_000 + 500);
  const later = await readUser();
  await spend(1_000);
  expect((await putUser({ ...later, quota: 300 })).quota).toBe(300 - 1_000);
});

test("a client that says what it saw changes the balance by the difference, whatever was spent and credited since", async () => {
  await begin();
  await spend(4_000);
  await putUser({ id: owner.userId, quota: START + 700, seen_quota: START });
  expect((await readUser()).quota).toBe(START - 4_000 + 700);
});

test("a used quota that nobody can have read changes nothing about what a balance means", async () => {
  await begin();
  await spend(4_000);
  for (const used of [-1, 4_001, "0", null, 1.5]) {
    expect((await putUser({ id: owner.userId, quota: 50_000, used_quota: used })).quota).toBe(50_000);
  }
});

/** A task that failed after it was charged: what it cost goes back, and the used quota falls. */
async function refund(quota: number): Promise<void> {
  const { userId, tokenId, channelId } = owner;
  const { sql } = api.database;
  const requestId = crypto.randomUUID();
  const [task] = await sql<{ id: number }[]>`
    insert into tasks (created_at, updated_at, task_id, platform, action, user_id, token_id, channel_id, request_id, quota, status)
    values (1, 1, ${requestId}, 'suno', 'MUSIC', ${userId}, ${tokenId}, ${channelId}, ${requestId}, ${quota}, 'FAILURE') returning id`;
  const id = task?.id ?? 0;
  await sql`
    insert into task_movements (reference, task, user_id, amount)
    values (${`charge:${requestId}`}, ${id}, ${userId}, ${quota}), (${`end:${id}`}, ${id}, ${userId}, ${-quota})`;
  const settlement = settlementOf({ ...owner, requestId: `end:${id}`, type: LOG_TYPE.system, quota: 0 });
  const end = { ...settlement, quota: -quota as Quota };
  await sql.begin((tx) => bookSettlements(tx, null, [encodeSettlement(end)]));
}

test("an old row does not take away what a failed task gave back since it was read, of an account or of a key", async () => {
  await begin();
  await spend(4_000);
  const row = await readUser();
  const { token } = await readings();
  await refund(1_500);
  expect((await putUser({ ...row, display_name: "renamed" })).quota).toBe(START - 2_500);
  const own = context(owner.userId, 1);
  const limit = { id: owner.tokenId, remainQuota: Number(token.remain_quota), usedQuotaSeen: Number(token.used_quota) };
  expect((await updateToken(own, limit)).remainQuota).toBe(START - 2_500);
  await spend(100);
  expect((await putUser({ ...row, quota: Number(row.quota) + 50 })).quota).toBe(START - 2_500 - 100 + 50);
  // More than ever was there cannot have been read.
  expect((await putUser({ id: owner.userId, quota: 70_000, used_quota: 4_101 })).quota).toBe(70_000);
});

test("a whole row of a channel or a change of its tag takes no counter from the client", async () => {
  await begin();
  const row = await readChannel();
  await spend(4_000);
  await send(channelApi, "PUT /api/channel/", { ...row, priority: 3, used_quota: 7, balance: 99 });
  await send(channelApi, "PUT /api/channel/tag", { tag: row.tag, priority: 4, used_quota: 7, balance: 99 });
  expect(await readChannel()).toMatchObject({ priority: 4, balance: row.balance });
  expect(await counters()).toMatchObject({ channelUsed: 4_000 });
});

test("a code's old row sent back after it was redeemed is refused", async () => {
  const { data } = (
    await call(redemptionApi, "POST /api/redemption/", { as: api.root, body: { name: "c", quota: 500 } })
  ).json;
  const [key] = data as string[];
  const list = await get(redemptionApi, "GET /api/redemption/?p=1");
  const row = (list.items as Row[]).find((code) => code.key === key);
  await send(userApi, "POST /api/user/topup", { key });
  const again = await call(redemptionApi, "PUT /api/redemption/", { as: api.root, body: { ...row, quota: 900 } });
  expect(again.json).toMatchObject({ success: false });
});

type Act =
  | { kind: "row" | "seen" | "console"; of: "user" | "token"; difference: number }
  | { kind: "channel" | "tag" | "code"; difference: number };

const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({
    kind: fc.constantFrom("row" as const, "seen" as const, "console" as const),
    of: fc.constantFrom("user" as const, "token" as const),
    difference: fc.integer({ min: -500, max: 500 }),
  }),
  fc.record({
    kind: fc.constantFrom("channel" as const, "tag" as const, "code" as const),
    difference: fc.integer({ min: 1, max: 500 }),
  }),
);

type Readings = { user: Row; token: Row; channel: Row; code: Row };

/** Carries out a change that starts from an older reading. Returns by how much it changed the balance and the key's limit. */
async function change(step: Act, { user, token, channel, code }: Readings): Promise<{ user: number; token: number }> {
  const { difference } = step;
  const of = (name: "user" | "token") => ({ user: 0, token: 0, [name]: difference });
  const quota = Number(user.quota) + difference;
  const remain = Number(token.remain_quota) + difference;
  const own = context(owner.userId, 1);
  switch (step.kind) {
    case "channel":
      await send(channelApi, "PUT /api/channel/", { ...channel, weight: difference });
      return { user: 0, token: 0 };
    case "tag":
      await send(channelApi, "PUT /api/channel/tag", { tag: channel.tag, priority: difference });
      return { user: 0, token: 0 };
    case "code": {
      await send(redemptionApi, "PUT /api/redemption/", { ...code, quota: difference });
      const { json } = await call(userApi, "POST /api/user/topup", { as: api.alice, body: { key: code.key } });
      expect(json).toMatchObject({ success: true, data: difference });
      return { user: 0, token: 0 };
    }
    case "row":
      if (step.of === "user") await putUser({ ...user, display_name: "again", quota });
      else await updateToken(own, { id: owner.tokenId, remainQuota: remain, usedQuotaSeen: Number(token.used_quota) });
      return of(step.of);
    case "seen":
      if (step.of === "user") await putUser({ id: owner.userId, quota, seen_quota: user.quota });
      else
        await updateToken(own, {
          id: owner.tokenId,
          remainQuota: remain,
          seen: { remainQuota: Number(token.remain_quota) },
        });
      return of(step.of);
    case "console":
      if (step.of === "user") {
        const given = { id: owner.userId, quota, seen: { quota: Number(user.quota) }, displayName: "drawer" };
        await updateUser(context(api.root.id, 100), given);
      } else {
        const given = { id: owner.tokenId, remainQuota: remain, seen: { remainQuota: Number(token.remain_quota) } };
        await updateToken(own, { ...given, name: "drawer" });
      }
      return of(step.of);
  }
}

async function readings(): Promise<Readings> {
  const [token] = await api.database.sql<Row[]>`select * from tokens where id = ${owner.tokenId}`;
  const { json } = await call(redemptionApi, "POST /api/redemption/", { as: api.root, body: { name: "c", quota: 9 } });
  const [code] = await api.database.sql<Row[]>`select * from redemptions where key = ${json.data[0]}`;
  if (!token || !code) throw new Error("no row");
  return { user: await readUser(), token, channel: await readChannel(), code };
}

test("spend, change, spend, in any order and at once: no unit appears or goes, whichever command changes a counter", async () => {
  const round = fc.record({ before: fc.nat(900), acts: fc.array(act, { maxLength: 4 }), during: fc.nat(900) });
  await fc.assert(
    fc.asyncProperty(fc.array(round, { minLength: 1, maxLength: 3 }), async (rounds) => {
      await begin();
      const granted = { user: START, token: START };
      let spent = 0;
      for (const { before, acts, during } of rounds) {
        const seen = await readings();
        await spend(before);
        // A row that is sent back whole means what was granted by then, so that only one at a time can be told from a change.
        const single = acts.filter(({ kind }, place) => kind !== "row" || place === 0);
        const isOne = single[0]?.kind === "row";
        const codes = single.filter(
          ({ kind }, place) => kind !== "code" || place === single.findIndex((a) => a.kind === "code"),
        );
        const chosen = isOne ? codes.slice(0, 1) : codes;
        const [changes] = await Promise.all([
          Promise.all(chosen.map((step) => change(step, seen))),
          ...[during, 1, 2].map(spend),
        ]);
        spent += before + during + 3;
        for (const { user, token } of changes) {
          granted.user += user;
          granted.token += token;
        }
        expect(await counters()).toEqual({
          balance: granted.user - spent,
          used: spent,
          remain: granted.token - spent,
          keyUsed: spent,
          channelUsed: spent,
        });
      }
    }),
    { numRuns: 12, seed: 31 },
  );
  const { differences } = await reconcile(api.database.sql);
  // Accounts of the harness have balances without entries of the ledger: none of them is an owner here.
  expect(differences).toEqual([]);
});
