import { eq } from "drizzle-orm";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { channels } from "@/db/schema";
import { runChannelTest, startChannelTestRun, testDueChannels } from "@/lib/channel/test-commands";
import type { ServiceContext } from "@/lib/context";
import { seal } from "@/lib/crypto";
import { testChannels } from "@/lib/jobs/test-channels";
import { rewriteBooks } from "@/lib/testing/rewrite-books";
import { setUpRelay } from "../harness";
import { startSocksProxy } from "../proxies";

const relay = setUpRelay();
let root: number;
let ctx: ServiceContext;

beforeAll(async () => {
  root = await relay.addUser({ role: 100, username: "root" });
  const { db, sql } = relay.database;
  ctx = { db, sql, actor: { type: "job", name: "test" }, clientIp: "192.0.2.1" };
});

beforeEach(async () => {
  const { sql } = relay.database;
  await sql`delete from channels`;
  await rewriteBooks(sql, (tx) => tx`delete from usage_logs`);
  await sql`truncate notifications cascade`;
  await relay.setOption("AutomaticDisableChannelEnabled", "true");
  await relay.setOption("AutomaticEnableChannelEnabled", "true");
  await relay.setOption("ChannelDisableThreshold", "5");
});

async function runAll(): Promise<void> {
  await (await startChannelTestRun(ctx)).finished;
}

async function stateOf(id: number): Promise<{ status: number; reason: string | null; time: number | null }> {
  const [row] = await relay.database.sql<{ status: number; reason: string | null; time: number | null }[]>`
    select status, other_info->>'status_reason' as reason, (other_info->>'status_time')::bigint as time
    from channels where id = ${id}`;
  if (!row) throw new Error("no channel");
  return row;
}

async function toldRoot(): Promise<{ event: string; params: Record<string, unknown> }[]> {
  return await relay.database.sql<{ event: string; params: Record<string, unknown> }[]>`
    select event, params from notifications where user_id = ${root} order by id`;
}

describe("one test", () => {
  test("is a row of the log under root named model test, with the usage, and costs nobody anything", async () => {
    const id = await relay.addChannel({ models: "fake-gpt,other", testModel: "" });
    expect(await runChannelTest(ctx, id)).toMatchObject({ success: true, model: "fake-gpt", status: 200 });
    const [row] = await relay.database.sql`
      select type, user_id, username, token_name, channel_id, model_name, quota, prompt_tokens, completion_tokens
      from usage_logs`;
    expect(row).toEqual({
      type: 2,
      user_id: root,
      username: "root",
      token_name: "model test",
      channel_id: id,
      model_name: "fake-gpt",
      quota: 0,
      prompt_tokens: 12,
      completion_tokens: 13,
    });
    expect(await relay.differences()).toEqual([]);
    const [{ body } = { body: {} }] = relay.upstream.requests.slice(-1);
    expect(body).toEqual({ model: "fake-gpt", messages: [{ role: "user", content: "hi" }], max_tokens: 10 });
  });

  test("stores how long it took and when, and says what the upstream said", async () => {
    const id = await relay.addChannel({ models: "fake-gpt", key: "bad-key" });
    expect(await runChannelTest(ctx, id)).toMatchObject({ success: false, message: "Incorrect API key provided" });
    const [row] = await relay.database.db.select().from(channels).where(eq(channels.id, id));
    expect(row?.testTime).toBeGreaterThan(0);
    expect(row).toMatchObject({ testError: "Incorrect API key provided", responseTime: 0 });
    expect(await relay.logsOf(root)).toEqual([]);
    // A failed test by hand only reports the result; a test of all channels also disables.
    expect((await stateOf(id)).status).toBe(1);
  });

  test("that passes enables a channel that the system disabled, if the switch allows it (B156)", async () => {
    const disable = (id: number, status: number) =>
      relay.database.db
        .update(channels)
        .set({ status, otherInfo: { status_reason: "x" } })
        .where(eq(channels.id, id));
    const id = await relay.addChannel({ models: "fake-gpt,other" });
    await disable(id, 3);
    await relay.setOption("AutomaticEnableChannelEnabled", "false");
    expect(await runChannelTest(ctx, id)).not.toHaveProperty("isEnabled");
    expect((await stateOf(id)).status).toBe(3);
    await relay.setOption("AutomaticEnableChannelEnabled", "true");
    expect(await runChannelTest(ctx, id)).toMatchObject({ success: true, isEnabled: true });
    expect(await stateOf(id)).toMatchObject({ status: 1 });
    await disable(id, 2);
    expect(await runChannelTest(ctx, id)).not.toHaveProperty("isEnabled");
    expect((await stateOf(id)).status).toBe(2);
    const bad = await relay.addChannel({ models: "fake-gpt", key: "bad-key" });
    await disable(bad, 3);
    await runChannelTest(ctx, bad);
    expect((await stateOf(bad)).status).toBe(3);
  });

  test("of a model without a price fails although the upstream answers, because no user can call it", async () => {
    const id = await relay.addChannel({ models: "fake-gpt,fake-unpriced" });
    const tested = await runChannelTest(ctx, id, { model: "fake-unpriced" });
    expect(tested).toMatchObject({ success: false, isUnpriced: true, status: 200, message: "the model has no price" });
    expect(await runChannelTest(ctx, id)).not.toHaveProperty("isUnpriced");
  });

  test("goes through the channel's proxy", async () => {
    const proxy = await startSocksProxy("u", "p");
    const setting = JSON.stringify({ proxy: `socks5://u:p@127.0.0.1:${proxy.port}` });
    const id = await relay.addChannel({ models: "fake-gpt", setting });
    expect(await runChannelTest(ctx, id)).toMatchObject({ success: true });
    expect(proxy.seen).toEqual([new URL(relay.upstream.url).host]);
    proxy.close();
  });
});

describe("a run over all channels", () => {
  test("switches off what fails for good or is too slow, with reason and time, and tells root (B156)", async () => {
    await relay.setOption("ChannelDisableThreshold", "0.15");
    const bad = await relay.addChannel({ name: "bad", models: "fake-gpt", key: "bad-key" });
    const slow = await relay.addChannel({ name: "slow", models: "fake-gpt:delay=200" });
    const good = await relay.addChannel({ models: "fake-gpt" });
    const failing = await relay.addChannel({ models: "fake-error-500" });
    const spared = await relay.addChannel({ models: "fake-gpt", key: "bad-key", autoBan: 0 });
    const before = Math.floor(Date.now() / 1000);
    await runAll();
    expect(await stateOf(bad)).toMatchObject({ status: 3, reason: expect.stringContaining("Incorrect API key") });
    expect(await stateOf(slow)).toMatchObject({ status: 3, reason: expect.stringMatching(/^test took 0\.\d\d s$/) });
    expect((await stateOf(bad)).time).toBeGreaterThanOrEqual(before);
    for (const id of [good, failing, spared]) expect((await stateOf(id)).status).toBe(1);
    expect(await toldRoot()).toEqual([
      { event: "channel_disabled", params: { channelId: bad, channelName: "bad", reason: expect.any(String) } },
      { event: "channel_disabled", params: { channelId: slow, channelName: "slow", reason: expect.any(String) } },
      { event: "channel_test_finished", params: { tested: 5, disabled: 2, enabled: 0 } },
    ]);
  });

  test("with the switch off, or a threshold of 0, nothing is switched off", async () => {
    await relay.setOption("ChannelDisableThreshold", "0");
    const slow = await relay.addChannel({ models: "fake-gpt:delay=200" });
    await runAll();
    expect((await stateOf(slow)).status).toBe(1);
    await relay.setOption("ChannelDisableThreshold", "0.1");
    await relay.setOption("AutomaticDisableChannelEnabled", "false");
    const bad = await relay.addChannel({ models: "fake-gpt", key: "bad-key" });
    await runAll();
    expect([(await stateOf(slow)).status, (await stateOf(bad)).status]).toEqual([1, 1]);
  });

  test("switches on again what the system had switched off and answers well, and nothing else (B157)", async () => {
    await relay.setOption("ChannelDisableThreshold", "0.15");
    const back = await relay.addChannel({ name: "back", models: "fake-gpt", key: "bad-key" });
    const byHand = await relay.addChannel({ models: "fake-gpt", status: 2 });
    const slow = await relay.addChannel({ models: "fake-gpt:delay=200", status: 3 });
    await runAll();
    expect((await stateOf(back)).status).toBe(3);
    await relay.database.db
      .update(channels)
      .set({ keyCipher: seal("good-key") })
      .where(eq(channels.id, back));
    await runAll();
    expect(await stateOf(back)).toEqual({ status: 1, reason: null, time: null });
    expect([(await stateOf(byHand)).status, (await stateOf(slow)).status]).toEqual([2, 3]);
    expect(await toldRoot()).toContainEqual({
      event: "channel_enabled",
      params: { channelId: back, channelName: "back" },
    });
  });

  test("with the switch off a channel stays off although it answers (B157)", async () => {
    await relay.setOption("AutomaticEnableChannelEnabled", "false");
    const id = await relay.addChannel({ models: "fake-gpt", status: 3 });
    await runAll();
    expect((await stateOf(id)).status).toBe(3);
  });

  test("a second run is refused while one is going on, and can follow it", async () => {
    await relay.addChannel({ models: "fake-gpt:delay=200" });
    const { finished } = await startChannelTestRun(ctx);
    await expect(startChannelTestRun(ctx)).rejects.toMatchObject({ messageKey: "channelTestRunning" });
    expect(await testDueChannels(ctx, 1)).toBeNull();
    await finished;
    await runAll();
  });

  test("the periodic run visits what no test has looked at for the time", async () => {
    const fresh = await relay.addChannel({ models: "fake-gpt", testTime: Math.floor(Date.now() / 1000) - 30 });
    const due = await relay.addChannel({ models: "fake-gpt", testTime: Math.floor(Date.now() / 1000) - 90 });
    const off = await relay.addChannel({ models: "fake-gpt", status: 2 });
    // A picture would cost its price at every run.
    const draws = await relay.addChannel({ models: "dall-e-3" });
    expect(await testDueChannels(ctx, 60)).toEqual({ tested: 1, disabled: 0, enabled: 0 });
    expect(await testDueChannels(ctx, 60)).toEqual({ tested: 0, disabled: 0, enabled: 0 });
    process.env.CHANNEL_TEST_FREQUENCY = "60";
    expect(await testChannels(ctx.sql)).toBe("0 tested, 0 switched off, 0 on");
    delete process.env.CHANNEL_TEST_FREQUENCY;
    expect(await testChannels(ctx.sql)).toBe("switched off");
    const tested = await relay.database.sql`select distinct channel_id as id from usage_logs`;
    expect(tested).toEqual([{ id: due }]);
    expect([fresh, off, draws]).toHaveLength(3);
  });
});
