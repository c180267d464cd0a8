// A preview is only worth something when it says what the relay would charge: every figure here is compared with the sum
// of single charges, and what cannot be priced is named and never counted as nothing.
import { randomUUID } from "node:crypto";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { channels, options, usageHourly, usageLogs } from "@/db/schema";
import { priceUsage, resolvePrice } from "@/lib/billing/price";
import { type BilledUsage, NO_USAGE } from "@/lib/billing/types";
import type { ServiceContext } from "@/lib/context";
import { saveOptions } from "@/lib/option/commands";
import { loadOptions } from "@/lib/option/queries";
import { applyAdjustment } from "@/lib/pricing/adjust/commands";
import { previewAdjustment, previewOffers, previewPriceDraft } from "@/lib/pricing/effect/preview-queries";
import { rewriteBooks } from "@/lib/testing/rewrite-books";
import { type Person, setUpApi } from "./harness";

const api = setUpApi();
const now = Math.floor(Date.now() / 1000);

const as = ({ id, username }: Person, role: number): ServiceContext => ({
  db: api.database.db,
  sql: api.database.sql,
  clientIp: "203.0.113.9",
  actor: { type: "user", id, username, role, group: "default", via: "session" },
});
const root = () => as(api.root, 100);

type Logged = {
  model: string;
  usage?: Partial<BilledUsage>;
  ratio?: number;
  group?: string;
  userId?: number;
  channelId?: number;
  at?: number;
  more?: Record<string, unknown>;
};

const usageOf = (usage: Partial<BilledUsage> = {}): BilledUsage => ({ ...NO_USAGE, promptTokens: 1_000, ...usage });

/** A charged request as the relay logs and books it. */
async function log(given: Logged): Promise<number> {
  const { model, ratio = 1, group = "default", userId = api.alice.id, channelId = 1, at = now - 3_600 } = given;
  const usage = usageOf(given.usage);
  const price = resolvePrice(model, ratio, await loadOptions(api.database.db));
  const charge = price ? priceUsage(usage, price) : { quota: 7, lines: [] };
  await api.database.db.insert(usageLogs).values({
    requestId: randomUUID(),
    createdAt: at,
    userId,
    username: "logged-name",
    channelId,
    modelName: model,
    group,
    quota: charge.quota,
    promptTokens: usage.promptTokens,
    completionTokens: usage.completionTokens,
    other: {
      group_ratio: ratio,
      cache_tokens: usage.cachedTokens,
      lines: charge.lines,
      ...(usage.meters ? { meters: usage.meters } : {}),
      ...(usage.audioPromptTokens + usage.audioCompletionTokens > 0
        ? { audio_input: usage.audioPromptTokens, audio_output: usage.audioCompletionTokens }
        : {}),
      ...given.more,
    },
  });
  await api.database.sql`
    insert into usage_hourly (hour, user_id, token_id, channel_id, model_name, "group", count, quota)
    values (${at - (at % 3_600)}, ${userId}, 0, ${channelId}, ${model}, ${group}, 1, ${charge.quota})
    on conflict (hour, user_id, token_id, channel_id, model_name, "group")
    do update set count = usage_hourly.count + 1, quota = usage_hourly.quota + excluded.quota`;
  return charge.quota;
}

const draft = (values: Record<string, object>) =>
  previewPriceDraft(root(), {
    changes: Object.entries(values).map(([key, value]) => ({ key: key as "ModelRatio", value: JSON.stringify(value) })),
  });
const set = (values: Record<string, object>) =>
  saveOptions(
    root(),
    Object.entries(values).map(([key, value]) => ({ key, value: JSON.stringify(value) })),
  );

beforeAll(async () => {
  await api.database.db.insert(channels).values([
    { id: 1, name: "list price", type: 1, models: "gpt-4o", group: "default", keyCipher: "x" },
    {
      id: 2,
      name: "own prices",
      type: 1,
      models: "gpt-4o",
      group: "default",
      keyCipher: "x",
      setting: JSON.stringify({ cost_prices: { "gpt-4o": { input: 1, output: 2 } } }),
    },
  ]);
});
beforeEach(async () => {
  await api.database.db.delete(options);
  await rewriteBooks(api.database.sql, "delete from usage_logs");
  await api.database.db.delete(usageHourly);
});

describe("the effect of a draft of prices", () => {
  test("is the sum of what the relay would charge for each request, of every kind of token", async () => {
    const usages: Partial<BilledUsage>[] = [
      { promptTokens: 1_001, completionTokens: 17 },
      { promptTokens: 5_003, completionTokens: 311, cachedTokens: 4_000 },
      { promptTokens: 9_000, completionTokens: 5, cacheWriteTokens: 3_333 },
      { promptTokens: 700, completionTokens: 900, audioPromptTokens: 300, audioCompletionTokens: 800 },
    ];
    let charged = 0;
    for (const ratio of [1, 0.8])
      for (const usage of usages) charged += await log({ model: "gpt-4o", usage, ratio, group: `g${ratio}` });
    await log({ model: "gpt-4.1" });
    const { reckoned, coverage, differences } = await draft({ ModelRatio: { "gpt-4o": 3 } });
    const price = (ratio: number) =>
      resolvePrice("gpt-4o", ratio, {
        ModelRatio: { "gpt-4o": 3 },
        ModelPrice: {},
        CompletionRatio: {},
        CacheRatio: {},
        QuotaPerUnit: 500_000,
        SelfUseModeEnabled: false,
      });
    const expected = [1, 0.8]
      .flatMap((ratio) => usages.map((usage) => ({ row: price(ratio), usage: usageOf(usage) })))
      .reduce((sum, { row, usage }) => sum + (row ? priceUsage(usage, row).quota : 0), 0);
    expect(coverage).toMatchObject({ requests: 8, read: 8, oneOf: 1 });
    expect(reckoned?.charged).toBe(charged);
    expect(Math.abs((reckoned?.before ?? 0) - charged)).toBeLessThanOrEqual(4);
    expect(Math.abs((reckoned?.after ?? 0) - expected)).toBeLessThanOrEqual(4);
    expect(reckoned?.groups.map(({ group, ratioAfter }) => [group, ratioAfter]).toSorted()).toEqual([
      ["g0.8", 0.8],
      ["g1", 1],
    ]);
    expect(differences).toMatchObject([
      { model: "gpt-4o", before: { input: 2.5 }, after: { input: 6 }, isServed: true },
    ]);
  });

  test("prices meters and calls request by request, and tokens beyond 2^31", async () => {
    await set({ ModelMeterPrices: { speaks: { second: 0.01 } }, ModelPrice: { calls: 0.0000013 } });
    let charged = 0;
    for (const quantity of [3.5, 3.5, 61])
      charged += await log({ model: "speaks", usage: { promptTokens: 0, meters: [{ meter: "second", quantity }] } });
    for (let i = 0; i < 3; i++) charged += await log({ model: "calls" });
    for (let i = 0; i < 3; i++) charged += await log({ model: "gpt-4o", usage: { promptTokens: 2_000_000_000 } });
    const { reckoned } = await draft({
      ModelMeterPrices: { speaks: { second: 0.02 } },
      ModelPrice: { calls: 0.000003 },
      ModelRatio: { "gpt-4o": 2.5 },
    });
    expect(reckoned?.before).toBe(charged);
    expect(reckoned?.models).toMatchObject([
      { model: "gpt-4o", requests: 3, before: 7_500_000_000, after: 15_000_000_000 },
      { model: "speaks", requests: 3, before: 340_000, after: 680_000 },
      // 0.65 quota a call are 1, and 1.5 are 2: each is rounded, not their sum.
      { model: "calls", requests: 3, before: 3, after: 6 },
    ]);
  });

  test("names models that have no price before or after, and counts them in no sum", async () => {
    await set({ ModelRatio: { old: 1 } });
    await log({ model: "old" });
    await log({ model: "never-priced" });
    const lost = await draft({ ModelRatio: { "never-priced": 1 } });
    expect(lost.reckoned).toMatchObject({ before: 0, after: 0, requests: 0, models: [] });
    expect(lost.reckoned?.unpriced).toEqual([
      { model: "old", requests: 1, charged: 1_000, when: "after" },
      { model: "never-priced", requests: 1, charged: 7, when: "before" },
    ]);
    expect(lost.differences.find(({ model }) => model === "old")).toMatchObject({ after: null, isServed: false });
  });

  test("names deleted users and channels, and counts users whose sum differs", async () => {
    await log({ model: "gpt-4o", userId: 9_999, channelId: 77 });
    await log({ model: "gpt-4o", userId: api.bob.id });
    await log({ model: "gpt-4o", userId: api.alice.id, ratio: 0 });
    const { reckoned } = await draft({ ModelRatio: { "gpt-4o": 2 } });
    expect(reckoned?.usersAffected).toBe(2);
    expect(reckoned?.users.map(({ id, name, isDeleted }) => [id, name, isDeleted]).toSorted()).toEqual([
      [api.bob.id, "bob", false],
      [9_999, "logged-name", true],
    ]);
    const gone = reckoned?.channels.find(({ id }) => id === 77);
    expect(gone).toMatchObject({ name: "", isDeleted: true, unknown: 1, costBefore: 0 });
  });

  test("has the margin of each channel: own prices stay, a factor of the list price follows it", async () => {
    await log({ model: "gpt-4o", channelId: 1 });
    await log({ model: "gpt-4o", channelId: 2 });
    const { reckoned } = await draft({ ModelRatio: { "gpt-4o": 2.5 } });
    const byId = new Map(reckoned?.channels.map((row) => [row.id, row]));
    expect(byId.get(1)).toMatchObject({ before: 1_250, after: 2_500, costBefore: 1_250, costAfter: 2_500 });
    expect(byId.get(1)?.followsPrices).toBe(true);
    expect(byId.get(2)).toMatchObject({ before: 1_250, after: 2_500, costBefore: 500, costAfter: 500, unknown: 0 });
    expect(byId.get(2)?.followsPrices).toBe(false);
  });

  test("of groups: the draft's ratios against those in force, batches by their part, a group that is left out at 1", async () => {
    await log({ model: "gpt-4o", group: "vip", ratio: 1 });
    await log({ model: "gpt-4o", group: "vip", ratio: 0.5, more: { batch_ratio: 0.5 } });
    await log({ model: "gpt-4.1", group: "default", ratio: 0.1 });
    const { reckoned, groups } = await draft({ GroupRatio: { vip: 0.8 } });
    expect(groups).toContainEqual({ name: "svip", before: 1, after: null });
    const byGroup = new Map(reckoned?.groups.map((row) => [row.group, row]));
    expect(byGroup.get("vip")).toMatchObject({ before: 1_875, after: 1_500, ratioBefore: null });
    expect(byGroup.get("default")).toMatchObject({ before: 1_000, after: 1_000, ratioBefore: 1, ratioAfter: 1 });
  });

  test("of batches: their part of the price as it is and as it would be; other requests stay as they are", async () => {
    await log({ model: "gpt-4o", group: "vip", ratio: 0.5, more: { batch_ratio: 0.5 } });
    await log({ model: "gpt-4o", group: "default" });
    const { reckoned, batch } = await previewPriceDraft(root(), {
      changes: [{ key: "BatchPriceRatio", value: "0.8" }],
    });
    expect(batch).toEqual({ before: 0.5, after: 0.8 });
    expect(reckoned).toMatchObject({ before: 1_875, after: 2_250, usersAffected: 1 });
    const byGroup = new Map(reckoned?.groups.map((row) => [row.group, row]));
    expect(byGroup.get("vip")).toMatchObject({ before: 625, after: 1_000 });
    expect(byGroup.get("default")).toMatchObject({ before: 1_250, after: 1_250 });
    expect((await draft({ ModelRatio: { "gpt-4o": 2 } })).batch).toBeNull();
  });

  test("of more requests than can be read is a sample, said so, scaled by the books", async () => {
    for (let i = 0; i < 40; i++) await log({ model: "gpt-4o", at: now - 86_400 + i * 600 + ((i * 37) % 600) });
    const changes = [{ key: "ModelRatio" as const, value: JSON.stringify({ "gpt-4o": 2.5 }) }];
    const { coverage, reckoned } = await previewPriceDraft(root(), { changes }, { requestsMax: 20 });
    expect(coverage).toMatchObject({ requests: 40, oneOf: 2 });
    expect(coverage?.read).toBeLessThan(40);
    expect(coverage?.read).toBeGreaterThan(0);
    expect(reckoned).toMatchObject({ requests: 40, before: 50_000, after: 100_000 });
  });

  test("of traffic that takes too long is left out, and the prices are still compared", async () => {
    await log({ model: "gpt-4o" });
    const changes = [{ key: "ModelRatio" as const, value: JSON.stringify({ "gpt-4o": 2.5 }) }];
    const lock = await api.database.sql.reserve();
    try {
      await lock`begin`;
      await lock`lock table usage_hourly in access exclusive mode`;
      const effect = await previewPriceDraft(root(), { changes }, { timeoutMs: 50 });
      expect(effect).toMatchObject({ coverage: null, reckoned: null, differences: [{ model: "gpt-4o" }] });
    } finally {
      await lock`rollback`;
      lock.release();
    }
  });

  test("says how much of the books the log still has", async () => {
    await log({ model: "gpt-4o" });
    await log({ model: "gpt-4o" });
    await rewriteBooks(
      api.database.sql,
      (tx) => tx`delete from usage_logs where id = (select min(id) from usage_logs)`,
    );
    const { coverage, reckoned } = await draft({ ModelRatio: { "gpt-4o": 2 } });
    expect([coverage?.requests, coverage?.read, reckoned?.requests]).toEqual([2, 1, 1]);
  });

  test("changes nothing, is for root alone, and refuses what could not be saved", async () => {
    await draft({ ModelRatio: { "gpt-4o": 2 } });
    expect(await api.database.db.select().from(options)).toEqual([]);
    const changes = [{ key: "ModelRatio" as const, value: "{}" }];
    const adjustment = { kind: "percent", percent: 1 } as const;
    for (const ctx of [as(api.admin, 10), as(api.alice, 1)]) {
      await expect(previewPriceDraft(ctx, { changes })).rejects.toMatchObject({ code: "forbidden" });
      await expect(previewAdjustment(ctx, { models: ["a"], adjustment })).rejects.toMatchObject({ code: "forbidden" });
      const apply = applyAdjustment(ctx, { models: ["a"], adjustment, state: "0".repeat(64) });
      await expect(apply).rejects.toMatchObject({ code: "forbidden" });
      const prices = [["a", 1, null, null, null, null]] as [string, number, null, null, null, null][];
      await expect(previewOffers(ctx, { prices })).rejects.toMatchObject({ code: "forbidden" });
    }
    await expect(draft({ ModelRatio: { "gpt-4o": -1 } })).rejects.toMatchObject({ code: "invalid" });
  });
});

describe("a selection whose prices are raised or lowered", () => {
  const raise = (models: string[], percent: number) => {
    const adjustment = { kind: "percent", percent } as const;
    return previewAdjustment(root(), { models, adjustment });
  };

  test("shows the effect, and what is applied then is what was shown", async () => {
    await set({
      ModelRatio: { own: 0.075 },
      ModelPrice: { call: 0.33333333 },
      ModelMeterPrices: { speaks: { second: 0.01, picture: 3 } },
    });
    await log({ model: "own", usage: { promptTokens: 1_000_000 } });
    const models = ["own", "call", "speaks", "gpt-4o", "no-price"];
    const { state, unpriced, reckoned, differences } = await raise(models, 20);
    expect(unpriced).toEqual(["no-price"]);
    expect(reckoned).toMatchObject({ before: 75_000, after: 90_000 });
    expect(differences.map(({ model }) => model).toSorted()).toEqual(["call", "gpt-4o", "own", "speaks"]);
    const adjustment = { kind: "percent", percent: 20 } as const;
    expect(await applyAdjustment(root(), { models, adjustment, state })).toEqual({ count: 4 });
    const saved = await loadOptions(api.database.db);
    expect(saved.ModelRatio).toEqual({ own: 0.09, "gpt-4o": 1.5 });
    // Six significant digits.
    expect(saved.ModelPrice).toEqual({ call: 0.4 });
    expect(saved.ModelMeterPrices).toEqual({ speaks: { second: 0.012, picture: 3.6 } });
  });

  test("keeps the ratios of answers and caches, and those built-in meters that are not selected", async () => {
    const before = await loadOptions(api.database.db);
    const { state } = await raise(["gpt-4o", "tts-1"], -12.34);
    const adjustment = { kind: "percent", percent: -12.34 } as const;
    await applyAdjustment(root(), { models: ["gpt-4o", "tts-1"], adjustment, state });
    const after = await loadOptions(api.database.db);
    const [old, next] = [resolvePrice("gpt-4o", 1, before), resolvePrice("gpt-4o", 1, after)];
    expect(next).toEqual({ ...old, modelRatio: 1.09575 });
    const [meters, others] = [resolvePrice("tts-1", 1, before), resolvePrice("tts-1", 1, after)];
    expect(others?.metersOnly).toBe(true);
    expect(Object.keys(others?.meterPrices ?? {})).toEqual(Object.keys(meters?.meterPrices ?? {}));
  });

  test("sets prices per million tokens or per call", async () => {
    const apply = async (adjustment: Parameters<typeof previewAdjustment>[1]["adjustment"]) => {
      const { state } = await previewAdjustment(root(), { models: ["gpt-4o"], adjustment });
      await applyAdjustment(root(), { models: ["gpt-4o"], adjustment, state });
      return resolvePrice("gpt-4o", 1, await loadOptions(api.database.db));
    };
    expect(await apply({ kind: "tokens", input: 4, output: null })).toMatchObject({
      modelRatio: 2,
      completionRatio: 4,
    });
    expect(await apply({ kind: "tokens", input: 4, output: 12 })).toMatchObject({ modelRatio: 2, completionRatio: 3 });
    expect(await apply({ kind: "call", call: 0.5 })).toMatchObject({ modelPrice: 0.5 });
  });

  test("is refused when a price was changed since, and when the percentage makes no sense", async () => {
    const { state } = await raise(["gpt-4o"], 20);
    await set({ ModelRatio: { other: 1 } });
    const adjustment = { kind: "percent", percent: 20 } as const;
    await expect(applyAdjustment(root(), { models: ["gpt-4o"], adjustment, state })).rejects.toMatchObject({
      code: "conflict",
      messageKey: "pricesChanged",
    });
    expect((await loadOptions(api.database.db)).ModelRatio).toEqual({ other: 1 });
    for (const percent of [-100, -150, 1_001, 0.123, Number.NaN])
      await expect(raise(["gpt-4o"], percent)).rejects.toMatchObject({ code: "invalid" });
  });
});
