// What an upstream keeps for a user is written with the charge of the request that made it: whoever books the charge, late
// or twice, writes it too.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createBilledUser, settlementOf } from "@/lib/testing/billing";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { keepRefused } from "./refused-commands";
import { bookSettlements } from "./settlement-batch";
import { encodeSettlement, parseSettlementRow, type SettlementRow } from "./settlement-row";
import type { UpstreamObject } from "./types";

let database: TestDatabase;
let userId: number;
const now = Math.floor(Date.now() / 1_000);

beforeAll(async () => {
  database = await createTestDatabase();
  userId = await createBilledUser(database, 1_000_000);
});
afterAll(() => database.drop());

const objectOf = (id: string, channelId = 1, kind = "response"): UpstreamObject => ({
  ...{ kind, id, channelId, keyHash: "hash", lifetimeSeconds: 60 },
});

const rowOf = (objects: UpstreamObject[] | undefined, given: object = {}): SettlementRow =>
  encodeSettlement(settlementOf({ userId, quota: 3, createdAt: now, objects, ...given }));

const known = (id: string) => database.sql`
  select user_id as "userId", kind, channel_id as "channelId", key_hash as "keyHash", created_at as "createdAt",
    expires_at as "expiresAt" from upstream_objects where object_id = ${id} order by kind`;

test("the charge out of a journal brings it along, however often it is booked", async () => {
  const row = rowOf([objectOf("resp_journal"), objectOf("resp_journal", 1, "item")]);
  const replayed = parseSettlementRow(row.json);
  if (!replayed) throw new Error("the row cannot be read back");
  await bookSettlements(database.sql, null, [replayed]);
  await bookSettlements(database.sql, null, [replayed, row]);
  const account = { userId, channelId: 1, keyHash: "hash", createdAt: now, expiresAt: now + 60 };
  expect(await known("resp_journal")).toEqual([
    { kind: "item", ...account },
    { kind: "response", ...account },
  ]);
});

test("a charge that was refused at first brings it along when it is booked after all", async () => {
  const row = rowOf([objectOf("resp_refused")]);
  await keepRefused(database.sql, row, { code: "22003", message: "out of range" });
  const [stored] = await database.sql<{ row: string }[]>`
    select row from refused_settlements where request_id = ${row.requestId}`;
  expect(stored).toBeDefined();
  const again = parseSettlementRow(stored?.row ?? "");
  await bookSettlements(database.sql, null, again ? [again] : []);
  expect(await known("resp_refused")).toMatchObject([{ userId, channelId: 1 }]);
});

test("of several with one id in a batch the latest counts, and an older charge that comes late changes nothing", async () => {
  const later = rowOf([objectOf("resp_twice", 3)], { createdAt: now + 2 });
  const late = rowOf([objectOf("resp_twice", 4)], { createdAt: now - 5 });
  await bookSettlements(database.sql, null, [
    rowOf([objectOf("resp_twice", 1)]),
    later,
    rowOf([objectOf("resp_twice", 2)], { createdAt: now + 1 }),
  ]);
  await bookSettlements(database.sql, null, [late]);
  expect(await known("resp_twice")).toMatchObject([{ channelId: 3 }]);
});

test("users may have objects of the same id, and text that looks like one makes none", async () => {
  const other = await createBilledUser(database, 1_000);
  const content = '"upstream_objects":[{"kind":"response","object_id":"resp_forged"}]';
  await bookSettlements(database.sql, null, [
    rowOf([objectOf("resp_shared")]),
    rowOf([objectOf("resp_shared", 2)], { userId: other }),
    rowOf(undefined, { content, other: { upstream_objects: [{ object_id: "resp_forged" }] }, requestId: randomUUID() }),
  ]);
  expect((await known("resp_shared")).length).toBe(2);
  expect(await known("resp_forged")).toEqual([]);
});
