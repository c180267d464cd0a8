import { execFileSync } from "node:child_process";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { resolvePrice } from "@/lib/billing/price";
import { LANGUAGES, toCode } from "./code-samples";
import { askAll, newConversation } from "./conversation";
import { toFigures } from "./figures";
import { forgetAll, forgetConversation, HISTORY_MAX, readHistory, saveConversation } from "./history";
import { chooseModel, newSettings, toRequestBody } from "./settings";

const storage = new Map<string, string>();
beforeEach(() => {
  storage.clear();
  vi.stubGlobal("window", {
    localStorage: {
      getItem: (key: string) => storage.get(key) ?? null,
      setItem: (key: string, value: string) => storage.set(key, value),
      removeItem: (key: string) => storage.delete(key),
    },
  });
});
afterEach(() => vi.unstubAllGlobals());

test("a fresh page sends gpt-4o-mini, max tokens 0, no temperature, and nothing that is not set (B256, B301)", () => {
  const body = toRequestBody(newSettings("default"), chooseModel(["a", "gpt-4o-mini"]), []);
  expect(body).toEqual({
    messages: [],
    stream: true,
    stream_options: { include_usage: true },
    model: "gpt-4o-mini",
    group: "default",
    max_tokens: 0,
  });
  const set = { ...newSettings("vip"), temperature: 0.7, topP: 0.5, stop: "END\n\nSTOP", seed: 4 };
  expect(toRequestBody(set, "a", [])).toMatchObject({ temperature: 0.7, top_p: 0.5, stop: ["END", "STOP"], seed: 4 });
});

test("without the default model the first one is chosen, and a wanted one only if it is there", () => {
  expect(chooseModel(["b", "a"])).toBe("b");
  expect(chooseModel([])).toBe("");
  expect(chooseModel(["a", "b"], "b")).toBe("b");
  expect(chooseModel(["a"], "missing")).toBe("a");
});

test("an answer costs what the relay charges; without a report the tokens are estimated and marked", () => {
  const options = {
    ModelRatio: { m: 1 },
    CompletionRatio: { m: 2 },
    ModelPrice: {},
    CacheRatio: {},
    QuotaPerUnit: 500_000,
    SelfUseModeEnabled: false,
  };
  const priced = { price: resolvePrice("m", 1, options), groupRatio: 3 };
  const timing = { totalMs: 5, firstTokenMs: null };
  const texts = { prompt: "hello there", answer: "" };
  const usage = { promptTokens: 10, completionTokens: 5, cachedTokens: 0 };
  expect(toFigures(usage, texts, priced, timing)).toMatchObject({ quota: (10 + 5 * 2) * 3, estimated: false });
  const estimated = toFigures(null, { prompt: "abcdef", answer: "你好" }, priced, timing);
  expect(estimated).toMatchObject({ promptTokens: 2, completionTokens: 2, estimated: true });
  expect(toFigures(usage, texts, { price: null, groupRatio: 1 }, timing).quota).toBeNull();
});

test("history keeps the latest conversations of one account within its bounds, and forgets on demand", () => {
  for (let i = 0; i < HISTORY_MAX + 5; i++) saveConversation(1, askAll(newConversation(["m"]), `question ${i}`));
  const kept = readHistory(1);
  expect(kept).toHaveLength(HISTORY_MAX);
  expect(kept[0]?.lanes[0]?.messages[0]?.text).toBe(`question ${HISTORY_MAX + 4}`);
  expect(kept[0]?.lanes[0]?.messages[1]).toMatchObject({ state: "complete", stopped: true });
  expect(readHistory(2)).toEqual([]);
  saveConversation(1, askAll(newConversation(["m"]), "x".repeat(600_000)));
  saveConversation(1, askAll(newConversation(["m"]), "y".repeat(600_000)));
  expect(readHistory(1)).toHaveLength(1);
  expect(forgetConversation(1, readHistory(1)[0]?.id ?? "")).toEqual([]);
  saveConversation(1, askAll(newConversation(["m"]), "one"));
  expect(forgetAll(1)).toEqual([]);
  storage.set("playground-history-1", '[{"id":1}, "x", null]');
  expect(readHistory(1)).toEqual([]);
  storage.set("playground-history-1", "{broken");
  expect(readHistory(1)).toEqual([]);
});

test("the code asks for the same and survives quotes; no key stands in it", () => {
  const sample = {
    baseUrl: "https://weir.example/v1",
    model: "m",
    messages: [{ role: "user", content: `it's "quoted"\n$HOME \`x\`` }],
    settings: { ...newSettings("default"), temperature: 0.3, maxTokens: 9 },
  };
  for (const language of LANGUAGES) {
    const code = toCode(language, sample);
    expect(code).toContain("https://weir.example/v1");
    expect(code).toContain("WEIR_TOKEN");
    expect(code).not.toMatch(/sk-[a-z0-9]/i);
  }
  const script = toCode("curl", sample).replace(/^curl \S+/, "printf '%s\\n'");
  const printed = execFileSync("sh", ["-c", script], { encoding: "utf8", env: { ...process.env, WEIR_TOKEN: "t" } });
  const body = JSON.parse(printed.slice(printed.indexOf("{")));
  expect(body).toMatchObject({ model: "m", max_tokens: 9, temperature: 0.3, messages: sample.messages });
});
