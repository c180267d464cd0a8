import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createDatabase, type DatabaseHandle } from "@/db/client";
import { jobs } from "@/lib/jobs/registry";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { consumeSecret, issueSecret, revokeSecret, verifySecret } from "./commands";

let database: TestDatabase;
/** A second connection pool; stands for another process. */
let other: DatabaseHandle;
let count = 0;

beforeAll(async () => {
  database = await createTestDatabase();
  other = createDatabase({ url: database.url, max: 5, applicationName: "weir-test-other" });
});
afterAll(async () => {
  await other.end();
  await database.drop();
});

async function issue(lifetimeSeconds = 600) {
  const name = { kind: "test", subject: `subject-${++count}`, secret: "ABC234" };
  await issueSecret(database.db, { ...name, lifetimeSeconds, payload: { n: count } });
  return name;
}

const expire = (subject: string) =>
  database.sql`update one_time_secrets set expires_at = floor(extract(epoch from now()))::bigint where subject = ${subject}`;

describe("a one-time secret", () => {
  test("is used up by the first use, also from another process", async () => {
    const name = await issue();
    expect(await consumeSecret(other.db, name)).toEqual({ n: count });
    expect(await consumeSecret(database.db, name)).toBeNull();
  });

  test("of 20 uses at once on two processes exactly one succeeds", async () => {
    const name = await issue();
    const uses = Array.from({ length: 20 }, (_, i) => consumeSecret(i % 2 ? other.db : database.db, name));
    expect((await Promise.all(uses)).filter((payload) => payload !== null)).toHaveLength(1);
  });

  test("is refused after so many wrong guesses, even guessed side by side", async () => {
    const name = await issue();
    const guesses = Array.from({ length: 20 }, (_, i) =>
      verifySecret(i % 2 ? other.db : database.db, { ...name, secret: `no${i}`, attemptsMax: 5 }),
    );
    expect(await Promise.all(guesses)).toEqual(Array(20).fill(false));
    expect(await verifySecret(database.db, { ...name, attemptsMax: 5 })).toBe(false);
  });

  test("stays good while it is only asked for, however often", async () => {
    const name = await issue();
    for (let i = 0; i < 8; i++) expect(await verifySecret(database.db, { ...name, attemptsMax: 5 })).toBe(true);
    expect(await consumeSecret(database.db, name)).not.toBeNull();
  });

  test("is refused once it has expired (B305)", async () => {
    const name = await issue();
    await expire(name.subject);
    expect(await verifySecret(database.db, { ...name, attemptsMax: 5 })).toBe(false);
    expect(await consumeSecret(database.db, name)).toBeNull();
  });

  test("is good for another subject or kind neither by itself nor by its stored form", async () => {
    const name = await issue();
    expect(await consumeSecret(database.db, { ...name, subject: "somebody" })).toBeNull();
    expect(await consumeSecret(database.db, { ...name, kind: "else" })).toBeNull();
    await database.sql`
      insert into one_time_secrets (kind, subject, secret_hash, expires_at)
      select kind, 'thief', secret_hash, expires_at from one_time_secrets where subject = ${name.subject}`;
    expect(await consumeSecret(database.db, { ...name, subject: "thief" })).toBeNull();
  });

  test("is replaced by a new one of the same name, with the guesses counted anew", async () => {
    const name = await issue();
    for (let i = 0; i < 5; i++) await verifySecret(database.db, { ...name, secret: "no", attemptsMax: 5 });
    await issueSecret(database.db, { ...name, secret: "NEW567", lifetimeSeconds: 600 });
    expect(await verifySecret(database.db, { ...name, attemptsMax: 5 })).toBe(false);
    expect(await verifySecret(database.db, { ...name, secret: "NEW567", attemptsMax: 5 })).toBe(true);
  });

  test("stays usable when the transaction that used it fails", async () => {
    const name = await issue();
    const failing = database.db.transaction(async (tx) => {
      await consumeSecret(tx, name);
      throw new Error("taken back");
    });
    await expect(failing).rejects.toThrow("taken back");
    expect(await consumeSecret(database.db, name)).not.toBeNull();
  });

  test("can be withdrawn", async () => {
    const name = await issue();
    await revokeSecret(database.db, name);
    expect(await consumeSecret(database.db, name)).toBeNull();
  });

  test("rests as a keyed hash only", async () => {
    const name = await issue();
    const rows = await database.sql`select * from one_time_secrets where subject = ${name.subject}`;
    expect(JSON.stringify(rows)).not.toContain(name.secret);
  });

  test("is swept by a job once it has expired, and not before", async () => {
    const [dead, alive] = [await issue(), await issue()];
    await expire(dead.subject);
    await jobs.find(({ id }) => id === "sign-in-sweep")?.run(database.sql);
    const left = await database.sql<{ subject: string }[]>`select subject from one_time_secrets`;
    expect(left.map(({ subject }) => subject)).not.toContain(dead.subject);
    expect(left.map(({ subject }) => subject)).toContain(alive.subject);
  });
});
