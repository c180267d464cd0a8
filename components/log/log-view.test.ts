import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { UsageLog } from "@/lib/usage-log/columns";
import { defaultLogWindow } from "@/lib/usage-log/window";
import en from "@/messages/en.json";
import zh from "@/messages/zh.json";
import { readAffinity } from "./affinity";
import { OUTCOMES, placeOf, readAttemptBars } from "./attempts";
import { toCurl } from "./curl";
import { EMPTY_FEED, LIVE_ROWS_MAX, mergeRows, reduceFeed } from "./live-feed";
import { toLargestUnit } from "./log-facts";
import { firstTokenHue, timeHue } from "./log-timing";
import { pricePerMillion, readPriceSteps } from "./price-steps";
import { readRelayNotes } from "./relay-notes";

const row = (fields: Partial<UsageLog> = {}): UsageLog => ({
  id: 1,
  requestId: "r",
  createdAt: 100,
  type: 2,
  userId: 1,
  username: "alice",
  tokenId: 1,
  tokenName: "t",
  channelId: 7,
  channelName: "seven",
  modelName: "gpt-4o",
  group: "default",
  quota: 10,
  promptTokens: 1,
  completionTokens: 1,
  useTimeMs: 900,
  firstTokenMs: null,
  isStream: false,
  clientIp: "",
  content: "",
  statusCode: null,
  errorCode: "",
  errorCause: "",
  repeats: 0,
  other: {},
  ...fields,
});

test.each([
  [100, "green"],
  [100.9, "green"],
  [101, "orange"],
  [299, "orange"],
  [300, "red"],
])("a request of %d s is %s (B292)", (seconds, hue) => {
  expect(timeHue(seconds)).toBe(hue);
});

test.each([
  [2.9, "green"],
  [3, "orange"],
  [9.9, "orange"],
  [10, "red"],
])("a first token after %d s is %s (B293)", (seconds, hue) => {
  expect(firstTokenHue(seconds)).toBe(hue);
});

test("the log's window begins 30 days back for administrators, three for users, and ends with this minute (B295, B297)", () => {
  const now = 1_790_000_025;
  const minute = now - (now % 60);
  expect(defaultLogWindow(now, 10)).toEqual({ start: minute - 30 * 86_400, end: minute + 59 });
  expect(defaultLogWindow(now, 1)).toEqual({ start: minute - 3 * 86_400, end: minute + 59 });
});

test.each([
  [0.4, 0, "s"],
  [59, 59, "s"],
  [60, 1, "m"],
  [3_600, 1, "h"],
  [86_400, 1, "d"],
  [30 * 86_400, 1, "M"],
  [800 * 86_400, 2, "y"],
] as const)("%d seconds are %d %s, which has a label in both languages (B309)", (seconds, value, unit) => {
  expect(toLargestUnit(seconds)).toEqual({ value, unit });
  expect(zh.log[`unit_${unit}`]).toContain("{value}");
  expect(en.log[`unit_${unit}`]).toContain("{value}");
});

describe("the price of a charge", () => {
  const ratios = { model_ratio: 1.25, group_ratio: 2, completion_ratio: 4, model_price: -1, quota_per_unit: 500_000 };
  const stepsOf = (other: Record<string, unknown>) => {
    const prices = readPriceSteps(other, 500_000);
    return prices?.mode === "ratio"
      ? Object.fromEntries(prices.steps.map(({ kind, product }) => [kind, product]))
      : null;
  };

  test("is model ratio × group ratio for the prompt (A224), × completion ratio for the completion (A225)", () => {
    expect(stepsOf(ratios)).toEqual({ prompt: 2.5, completion: 10 });
    // Dividing by the configured quota per unit gives money (decision T4).
    expect(pricePerMillion(2.5, 500_000)).toBe(5);
    expect(pricePerMillion(2.5, 1_000_000)).toBe(2.5);
  });

  test("has the audio ratio and the audio completion ratio where there was audio (A226)", () => {
    expect(stepsOf({ ...ratios, audio: true, audio_ratio: 16, audio_completion_ratio: 2 })).toEqual({
      prompt: 2.5,
      completion: 10,
      audioPrompt: 40,
      audioCompletion: 80,
    });
  });

  test("names cached tokens only where there were any, is per call with a price, and absent without ratios (B146)", () => {
    expect(stepsOf({ ...ratios, cache_tokens: 10, cache_ratio: 0.5 })).toMatchObject({ cached: 1.25 });
    expect(stepsOf({ ...ratios, cache_tokens: 0, cache_ratio: 0.5 })).not.toHaveProperty("cached");
    expect(readPriceSteps({ model_price: 0.04, group_ratio: 2 }, 1)).toEqual({ mode: "call", price: 0.04, group: 2 });
    expect(readPriceSteps({}, 1)).toBeNull();
    expect(readPriceSteps({ model_ratio: "x" }, 1)).toBeNull();
  });
});

test("a meter's price stands beside those of tokens, and alone where tokens cost nothing (A224)", () => {
  const meters = [
    { meter: "picture", variant: "1024x1024:hd", quantity: 2, price: 0.08 },
    { meter: "page", quantity: 1, price: null },
    { meter: "token", quantity: 1, price: 1 },
    null,
  ];
  const other = {
    model_ratio: 0,
    completion_ratio: 1,
    group_ratio: 2,
    model_price: -1,
    quota_per_unit: 500_000,
    meters,
  };
  expect(readPriceSteps(other, 1)).toEqual({
    mode: "ratio",
    steps: [],
    meters: [{ meter: "picture", variant: "1024x1024:hd", price: 0.08, group: 2 }],
    quotaPerUnit: 500_000,
  });
  expect(readPriceSteps({ ...other, model_ratio: 1 }, 1)).toMatchObject({ steps: [{ kind: "prompt" }, {}] });
});

describe("the tries of a request", () => {
  const attempts = [
    { channel: 3, start_ms: 0, ms: 400, outcome: "limited", status: 429, message: "slow down" },
    { channel: 7, key: 2, start_ms: 400, ms: 500, outcome: "ok", continues: "prefill" },
  ];

  test("are read in order with their times and ends; broken ones are left out", () => {
    const bars = readAttemptBars(row({ other: { admin_info: { attempts: [...attempts, null, { channel: "x" }] } } }));
    expect(
      bars.map(({ channel, startMs, ms, outcome, status, key, continues }) => [
        channel,
        startMs,
        ms,
        outcome,
        status,
        key,
        continues,
      ]),
    ).toEqual([
      [3, 0, 400, "limited", 429, null, null],
      [7, 400, 500, "ok", null, 2, "prefill"],
    ]);
  });

  test("are one where no list was kept, and none for readers who may not know", () => {
    const single = readAttemptBars(
      row({ type: 5, content: "no", other: { status_code: 502, admin_info: { use_channel: ["7"] } } }),
    );
    expect(single).toEqual([
      { channel: 7, startMs: 0, ms: 900, outcome: "failed", status: 502, message: "no", key: null, continues: null },
    ]);
    expect(readAttemptBars(row())).toEqual([]);
    expect(readAttemptBars(row({ other: { admin_info: "x" } }))).toEqual([]);
  });

  test("stand where they lay in time and never leave the scale", () => {
    expect(placeOf(400, 500, 1_000)).toEqual({ left: 40, width: 50 });
    expect(placeOf(1_000, 0, 1_000)).toEqual({ left: 99.2, width: 0.8 });
    expect(placeOf(0, 0, 0)).toEqual({ left: 0, width: 100 });
  });
});

test("a request copied as curl has no key in it, and a model's name cannot leave its quotes", () => {
  const command = toCurl({ modelName: "o'model; rm -rf /", isStream: true }, "https://weir.example/");
  expect(command).toContain("curl 'https://weir.example/v1/chat/completions'");
  expect(command).toContain('"Authorization: Bearer $WEIR_API_KEY"');
  expect(command).toContain(`"model":"o'\\''model; rm -rf /"`);
  expect(command).toContain('"stream":true');
});

describe("the live list", () => {
  const rows = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) => row({ id: from + i, createdAt: 1_000 + from + i }));

  test("has each row once, newest first, and no more than it may keep", () => {
    expect(mergeRows(rows(5, 3), rows(4, 3)).map(({ id }) => id)).toEqual([7, 6, 5, 4]);
    expect(mergeRows(rows(0, 150), rows(150, 150))).toHaveLength(LIVE_ROWS_MAX);
  });

  test("holds rows back while paused and shows them when it goes on; another filter begins anew", () => {
    const event = { type: "rows", isPart: false } as const;
    let state = reduceFeed(EMPTY_FEED, { ...event, rows: rows(1, 1), isPaused: false });
    state = reduceFeed(state, { ...event, rows: rows(2, 2), isPaused: true });
    expect([state.rows.length, state.waiting.length]).toEqual([1, 2]);
    state = reduceFeed(state, { type: "resume" });
    expect(state.rows.map(({ id }) => id)).toEqual([3, 2, 1]);
    expect(state.waiting).toEqual([]);
    expect(reduceFeed(state, { type: "reset", connection: "connecting" }).rows).toEqual([]);
  });
});

test("every event that is written into the log has a text in both languages, with the same parameters", () => {
  const sources = readdirSync("lib", { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith("commands.ts"))
    .map((file) => readFileSync(`lib/${file}`, "utf8"))
    .filter((source) => source.includes("await writeLogEvent("));
  const written = sources.flatMap((source) =>
    [...source.matchAll(/type: LOG_TYPE\.\w+,\s*event: "(\w+)"/g)].map(([, name = ""]) => name),
  );
  // Events that depend on the sign of an amount come from a separate table.
  const bySign = sources.flatMap((source) =>
    [...source.matchAll(/event: "(invitation[A-Z]\w+)"/g)].map(([, name = ""]) => name),
  );
  const events = [...new Set([...written, ...bySign])];
  expect(events.length).toBeGreaterThanOrEqual(11);
  const texts: [string, Record<string, string>][] = [
    ["zh", zh.logEvent],
    ["en", en.logEvent],
  ];
  const parametersOf = (text: string) => [...text.matchAll(/\{(\w+)/g)].map(([, name]) => name).sort();
  for (const event of events) {
    for (const [locale, known] of texts) expect(known, `${locale} ${event}`).toHaveProperty(event);
    expect(
      parametersOf(texts[1]?.[1][event] ?? "").every((name) => parametersOf(texts[0]?.[1][event] ?? "").includes(name)),
      event,
    ).toBe(true);
  }
});

test("a row says whether its conversation stayed where its prompt is cached, and what that saved; administrators see more", () => {
  const affinity = { by: "user", hit: true, saved: 4 };
  const shared = {
    affinity,
    cache_tokens: 8,
    lines: [
      { kind: "prompt", amount: 4 },
      { kind: "cached", amount: 5 },
    ],
  };
  const seen = { by: "user", isHit: true, cachedTokens: 8, billed: 5, saved: 4 };
  expect(readAffinity(row({ other: shared }))).toEqual({ ...seen, costSaved: null, chance: null });
  const info = { affinity: { chance: 0.33, cost_saved: 2 } };
  expect(readAffinity(row({ other: { ...shared, admin_info: info } }))).toEqual({ ...seen, costSaved: 2, chance: 33 });
  expect(readAffinity(row({ other: { affinity: { by: "prefix", hit: false } } }))).toMatchObject({
    isHit: false,
    saved: null,
  });
  for (const other of [{}, { affinity: "yes" }, { affinity: { by: 7 }, lines: [null] }])
    expect(readAffinity(row({ other }))).toBeNull();
});

test("what the relay noted about an answer is read for administrators alone, and broken notes are left out", () => {
  const notes = { bad_events: 2, drained: { ms: 1_250, whole: true, completion_tokens: 13 } };
  expect(readRelayNotes(row({ other: { ...notes, admin_info: {} } }))).toEqual({
    badEvents: 2,
    drained: { ms: 1_250, isWhole: true, tokens: 13 },
  });
  const none = { badEvents: 0, drained: null };
  expect(readRelayNotes(row({ other: notes }))).toEqual(none);
  expect(readRelayNotes(row({ other: { admin_info: {}, bad_events: "2", drained: { ms: 1 } } }))).toEqual(none);
});

test("usage that was not believed is an outcome of its own, not a failed request", () => {
  const [bar] = readAttemptBars(row({ other: { outcome: "usage", admin_info: { use_channel: ["7"] } } }));
  expect(OUTCOMES.find((known) => known === bar?.outcome)).toBe("usage");
});
