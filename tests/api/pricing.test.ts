import { beforeAll, describe, expect, test } from "vitest";
import * as pricingApi from "@/app/api/pricing/[[...path]]/route";
import { channels, options } from "@/db/schema";
import { consoleDatabase } from "@/lib/console-database";
import type { ServiceContext } from "@/lib/context";
import { seal } from "@/lib/crypto";
import { simulateCharge } from "@/lib/pricing/simulation-queries";
import { call, setUpApi } from "./harness";

const api = setUpApi();

beforeAll(async () => {
  const { db } = api.database;
  const channel = (name: string, models: string, group: string, status = 1) => ({
    name,
    models,
    group,
    status,
    type: 1,
    keyCipher: seal("sk-upstream"),
  });
  await db
    .insert(channels)
    .values([
      channel("main", "gpt-4o,mj_imagine,unpriced-model,claude-x", "default,vip"),
      channel("staff", "gpt-4o,staff-model", "staff"),
      channel("off", "off-model", "default", 2),
      { ...channel("retired", "claude-x-retired", "default"), type: 11 },
    ]);
  const values = {
    GroupRatio: { default: 1, vip: 0.5, staff: 2 },
    UserUsableGroups: { default: "everybody", vip: "paying" },
    ModelRatio: { "gpt-4o": 1.25, "claude-x": 3, "staff-model": 1, "off-model": 1, "claude-x-retired": 1 },
    CompletionRatio: { "gpt-4o": 4 },
    ModelPrice: { mj_imagine: 0.1 },
    ModelMeterPrices: { "claude-x": { search: 0.01, "picture:big": 0.08 } },
  };
  await db
    .insert(options)
    .values(Object.entries(values).map(([key, value]) => ({ key, value: JSON.stringify(value) })));
});

async function setOption(key: string, value: string): Promise<void> {
  await api.database.db.insert(options).values({ key, value });
}

describe("GET /api/pricing (B150, B255)", () => {
  test("lists the models of enabled channels with the relay's own prices, gpt first (B117)", async () => {
    const { json } = await call(pricingApi, "GET /api/pricing/", { as: api.alice });
    expect(json.success).toBe(true);
    expect(json.data.map((row: { model_name: string }) => row.model_name)).toEqual([
      "gpt-4o",
      "claude-x",
      "mj_imagine",
      "staff-model",
    ]);
    expect(json.data[0]).toMatchObject({
      quota_type: 0,
      model_ratio: 1.25,
      completion_ratio: 4,
      model_price: 0,
      enable_groups: ["default", "vip"],
    });
    expect(json.data[2]).toMatchObject({ quota_type: 1, model_price: 0.1 });
  });

  test("says what is known of a model beside the fields of the contract, and nothing of what is not", async () => {
    await setOption("ModelMaxOutput", JSON.stringify({ "claude-x": 77 }));
    const { json } = await call(pricingApi, "GET /api/pricing/");
    const [gpt, claude, drawing] = json.data;
    expect(gpt).toMatchObject({
      vendor: "OpenAI",
      context_window: 128_000,
      max_output_tokens: 16_384,
      input_modalities: ["text", "image", "file"],
      output_modalities: ["text"],
    });
    expect(claude).toMatchObject({ max_output_tokens: 77 });
    expect(Object.keys(claude)).not.toContain("input_modalities");
    expect(drawing).toMatchObject({ vendor: "Midjourney", output_modalities: ["image"] });
    expect(Object.keys(drawing)).not.toContain("context_window");
  });

  test("lists the prices of other units beside the fields of the contract", async () => {
    const { json } = await call(pricingApi, "GET /api/pricing/");
    const rowOf = (name: string) => json.data.find((row: { model_name: string }) => row.model_name === name);
    expect(rowOf("claude-x")).toMatchObject({
      quota_type: 0,
      model_ratio: 3,
      meter_prices: { search: 0.01, "picture:big": 0.08 },
    });
    expect(Object.keys(rowOf("gpt-4o"))).not.toContain("meter_prices");
  });

  test("anybody may read it, and is told of the public groups only (B115)", async () => {
    const { status, json } = await call(pricingApi, "GET /api/pricing");
    expect(status).toBe(200);
    expect(json.group_ratio).toEqual({ default: 1, vip: 0.5 });
    expect(json.usable_group).toEqual({ default: "everybody", vip: "paying" });
    expect(JSON.stringify(json)).not.toContain('"staff"');
  });
});

describe("the price simulator", () => {
  const ctxOf = (group: string | null): ServiceContext => {
    const { db, sql } = consoleDatabase();
    const actor: ServiceContext["actor"] =
      group === null
        ? { type: "anonymous" }
        : { type: "user", id: api.alice.id, username: "alice", role: 1, group, via: "session" };
    return { db, sql, actor, clientIp: "" };
  };
  const usage = { promptTokens: 1_000, cachedTokens: 0, completionTokens: 500 };

  test("reckons by the relay's own function: (1000 + 500 × 4) × 1.25 × 0.5 (B112, B298)", async () => {
    const charge = await simulateCharge(ctxOf(null), { model: "gpt-4o", group: "vip", ...usage });
    expect(charge).toMatchObject({ quota: 1_875, groupRatio: 0.5 });
    expect(charge.lines.reduce((sum, { amount }) => sum + amount, 0)).toBe(1_875);
    expect((await simulateCharge(ctxOf(null), { model: "mj_imagine", group: "default", ...usage })).quota).toBe(50_000);
  });

  test("counts what is charged in other units", async () => {
    const input = { model: "claude-x", group: "vip", ...usage, meter: "picture:big", quantity: 2 };
    const { quota, lines } = await simulateCharge(ctxOf(null), input);
    const tokens = await simulateCharge(ctxOf(null), { model: "claude-x", group: "vip", ...usage });
    expect(quota).toBe(tokens.quota + 40_000);
    expect(lines.at(-1)).toMatchObject({ kind: "picture", variant: "big", quantity: 2, amount: 40_000 });
  });

  test.each([
    ["a group that is not open to the reader", { model: "gpt-4o", group: "staff" }, "groupUnknown"],
    ["a model that is not on the list", { model: "off-model", group: "default" }, "simulationModelUnknown"],
    ["no number of tokens", { model: "gpt-4o", group: "default", promptTokens: "x" }, "simulationTokensInvalid"],
    ["fewer than no tokens", { model: "gpt-4o", group: "default", promptTokens: -1 }, "simulationTokensInvalid"],
  ])("refuses %s", async (_what, input, messageKey) => {
    await expect(simulateCharge(ctxOf(null), { ...usage, ...input })).rejects.toMatchObject({ messageKey });
  });

  test("the reader's own group counts among the open ones", async () => {
    const charge = await simulateCharge(ctxOf("staff"), { model: "staff-model", group: "staff", ...usage });
    expect(charge.groupRatio).toBe(2);
  });
});
