import { expect, test } from "vitest";
import { refreshChannels } from "@/lib/channel/commands";
import type { ServiceContext } from "@/lib/context";
import { chatBody, setUpRelay, until } from "../harness";

const relay = setUpRelay({ channels: [{ models: "fake-gpt" }] });

async function newCaller() {
  const { user, token } = await relay.addCaller();
  const status = async () => (await relay.post(token.key, chatBody("fake-gpt"))).status;
  expect(await status()).toBe(200);
  return { user, token, status };
}

test("a revoked key is refused within a second", async () => {
  const { token, status } = await newCaller();
  await relay.database.sql`update tokens set status = 2 where id = ${token.id}`;
  await until(async () => (await status()) === 401, 1_000);
  const deleted = await newCaller();
  await relay.database.sql`update tokens set deleted_at = now() where id = ${deleted.token.id}`;
  await until(async () => (await deleted.status()) === 401, 1_000);
});

test("a banned user is refused within a second, and let in again", async () => {
  const { user, status } = await newCaller();
  await relay.database.sql`update users set status = 2 where id = ${user}`;
  await until(async () => (await status()) === 403, 1_000);
  await relay.database.sql`update users set status = 1 where id = ${user}`;
  await until(async () => (await status()) === 200, 1_000);
});

test("a key that was refused a moment ago works as soon as it exists", async () => {
  const user = await relay.addUser();
  const { key, id } = await relay.addToken(user, { status: 2 });
  expect((await relay.post(key, chatBody("fake-gpt"))).status).toBe(401);
  await relay.database.sql`update tokens set status = 1 where id = ${id}`;
  await until(async () => (await relay.post(key, chatBody("fake-gpt"))).status === 200, 1_000);
});

test("a disabled channel is not used within a second", async () => {
  const { status } = await newCaller();
  await relay.database.sql`update channels set status = 2`;
  await until(async () => (await status()) === 404, 1_000);
  await relay.database.sql`update channels set status = 1`;
  await until(async () => (await status()) === 200, 1_000);
});

test("the repair of consistency makes every process read the channels anew, as its text says (B035)", async () => {
  const { status } = await newCaller();
  const { db, sql } = relay.database;
  // As after a restored backup: nobody was told.
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`update channels set status = 2`;
  });
  expect(await status()).toBe(200);
  const ctx: ServiceContext = { db, sql, actor: { type: "job", name: "test" }, clientIp: "" };
  expect(await refreshChannels(ctx)).toBe(1);
  await until(async () => (await status()) === 404, 1_000);
  await sql`update channels set status = 1`;
  await until(async () => (await status()) === 200, 1_000);
});

test("a changed price is charged within a second", async () => {
  const { user, status } = await newCaller();
  await relay.setOption("ModelRatio", { "fake-gpt": 10 });
  await until(async () => {
    await status();
    return (await relay.logsOf(user)).at(-1)?.quota === 380;
  }, 1_000);
});

test("changes are heard again after the listening connection was lost", async () => {
  const { token, status } = await newCaller();
  await relay.database.sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and application_name like 'weir-listen%'`;
  await relay.database.sql`update tokens set status = 2 where id = ${token.id}`;
  await until(async () => (await status()) === 401, 2_000);
  const later = await newCaller();
  await relay.database.sql`update tokens set status = 2 where id = ${later.token.id}`;
  await until(async () => (await later.status()) === 401, 1_000);
  expect(await relay.differences()).toEqual([]);
});
