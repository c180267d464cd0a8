// Who: a user whose charge the database refuses for good, by luck or on purpose (a damaged page, a missing right, a
// number out of range, an amount beyond 2^53), or who keeps a row locked.
// What must hold: nobody else's charge waits for it; it is never dropped, root is told and can book it again; a database
// that refuses everything is an outage, in which charges wait.
import { describe, expect, test } from "vitest";
import { reconcile } from "@/lib/billing/reconcile";
import { listRefused, retryRefused } from "@/lib/billing/refused-commands";
import { createSettlementStore } from "@/lib/billing/settlement-batch";
import { hasLogStore } from "@/lib/env";
import { type BillingProcess, createBilledUser, settlementOf, startBillingProcess } from "@/lib/testing/billing";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { until } from "@/lib/testing/until";

type Given = { database: TestDatabase; gateway: BillingProcess; errors: unknown[] };

/** Runs a test with a database and a gateway of its own. At the end the books must reconcile. */
async function withGateway(run: (given: Given) => Promise<void>): Promise<void> {
  const database = await createTestDatabase();
  try {
    const errors: unknown[] = [];
    const gateway = await startBillingProcess(database.url, { lingerMs: 0, onError: (error) => errors.push(error) });
    await database.sql`insert into users (username, role) values ('root', 100)`;
    try {
      await run({ database, gateway, errors });
    } finally {
      await gateway.stop();
    }
    expect((await reconcile(database.sql)).differences).toEqual([]);
  } finally {
    await database.drop();
  }
}

async function refuseFor(database: TestDatabase, userId: number, code: string): Promise<void> {
  await database.sql.unsafe(`
    create function refuse() returns trigger language plpgsql as $$ begin
      if new.user_id = ${userId} then raise exception 'refused' using errcode = '${code}'; end if;
      return new;
    end $$;
    create trigger refuse before insert on usage_hourly for each row execute function refuse();`);
}

const spentBy = async (database: TestDatabase, userId: number) =>
  (await database.sql`select used_quota from users where id = ${userId}`)[0]?.used_quota;

describe("a charge that PostgreSQL refuses for good", () => {
  // At once, because each mostly waits for the next try.
  test.concurrent.each(["42883", "42501", "XX002", "22003", "23514", "P0001", "57014"])(
    "SQLSTATE %s: the others are booked, this one is kept, root is told, and it is booked once it can be",
    (code) =>
      withGateway(async ({ database, gateway, errors }) => {
        const [victim, other] = [await createBilledUser(database, 1_000), await createBilledUser(database, 1_000)];
        await refuseFor(database, victim, code);
        const refused = gateway.settler.settle(settlementOf({ userId: victim, quota: 7, requestId: "the-refused" }));
        await Promise.all(
          Array.from({ length: 20 }, () => gateway.settler.settle(settlementOf({ userId: other, quota: 1 }))),
        );
        expect(await spentBy(database, other)).toBe(20);
        await refused;
        expect(await listRefused(database.sql, 10)).toMatchObject([
          { requestId: "the-refused", userId: victim, quota: 7, code },
        ]);
        expect(await database.sql`select event, params from notifications`).toMatchObject([
          { event: "charge_refused", params: { requestId: "the-refused", userId: victim, amount: 7 } },
        ]);
        expect(errors.length).toBeGreaterThan(0);
        const store = createSettlementStore(database.sql);
        expect(await retryRefused(database.sql, store)).toEqual({ booked: 0, refused: 1 });
        expect(await listRefused(database.sql, 10)).toMatchObject([{ attempts: 2 }]);
        await database.sql`drop trigger refuse on usage_hourly`;
        expect(await retryRefused(database.sql, store)).toEqual({ booked: 1, refused: 0 });
        expect([await spentBy(database, victim), await listRefused(database.sql, 10)]).toEqual([7, []]);
      }),
  );

  test("a balance that would pass 2^53 is refused, not rounded", () =>
    withGateway(async ({ database, gateway }) => {
      const rich = await createBilledUser(database, Number.MIN_SAFE_INTEGER + 5);
      await gateway.settler.settle(settlementOf({ userId: rich, quota: 5 }));
      await gateway.settler.settle(settlementOf({ userId: rich, quota: 1 }));
      expect(await listRefused(database.sql, 10)).toMatchObject([{ userId: rich, quota: 1, code: "23514" }]);
      await database.sql`delete from refused_settlements`;
    }));
});

test("a row that somebody keeps locked delays its own charge only", () =>
  withGateway(async ({ database, gateway }) => {
    const [locked, other] = [await createBilledUser(database, 1_000), await createBilledUser(database, 1_000)];
    await gateway.sql`select 1`;
    const impatient = await startBillingProcess(database.url, { lingerMs: 0, lockTimeoutMs: 50 });
    let late: Promise<unknown> = Promise.resolve();
    await database.sql.begin(async (tx) => {
      await tx`select 1 from users where id = ${locked} for update`;
      late = impatient.settler.settle(settlementOf({ userId: locked, quota: 3 }));
      await Promise.all(
        Array.from({ length: 8 }, () => impatient.settler.settle(settlementOf({ userId: other, quota: 1 }))),
      );
      expect(await spentBy(database, other)).toBe(8);
    });
    await late;
    await retryRefused(database.sql, createSettlementStore(database.sql));
    expect(await spentBy(database, locked)).toBe(3);
    await impatient.stop();
  }));

test("a database that refuses everything is an outage: charges wait and none is put away", () =>
  withGateway(async ({ database, gateway, errors }) => {
    const userId = await createBilledUser(database, 1_000);
    const booking = hasLogStore() ? "weir_book_to_outbox" : "weir_book_settlements";
    await database.sql.unsafe(`alter function ${booking} rename to gone`);
    const settled = Promise.all([1, 2, 3].map((quota) => gateway.settler.settle(settlementOf({ userId, quota }))));
    await until(() => errors.length >= 4, 10_000);
    expect([gateway.settler.queued(), await listRefused(database.sql, 10)]).toEqual([3, []]);
    await database.sql.unsafe(`alter function gone rename to ${booking}`);
    await settled;
    expect(await spentBy(database, userId)).toBe(6);
  }));
