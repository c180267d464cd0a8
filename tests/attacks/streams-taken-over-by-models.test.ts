import { describe, expect, test } from "vitest";
import { rewriteBooks } from "@/lib/testing/rewrite-books";
import {
  breaksOff,
  PIECES,
  type Play,
  PROMPT_TOKENS,
  reset,
  SAID,
  setUpContinuation,
  start,
  TEXT,
  textOf,
  whole,
  write,
} from "../relay/continuation-harness";
import type { Side } from "../relay/stream-sides";

const { relay, asked, addChannels, post, logged, ask } = setUpContinuation();

/** Said so far by the first model, and what it costs: a unit for each token of the prompt and two for one of the answer. */
const breaks: Record<string, (side: Side) => Play> = {
  "a reset": (side) => breaksOff(side, reset),
  "a clean end in the middle": (side) => breaksOff(side, (response) => void response.end()),
  "a stall": (side) => breaksOff(side, () => {}),
};

type Line = { kind: string; quantity: number; unitPrice: number; amount: number; model?: string };
type Part = { model: string; prompt_tokens: number; completion_tokens: number; quota: number };

/** `m` costs 1 a token and 2 for one of the answer, `dear` three times as much. */
async function setPrices(): Promise<void> {
  await relay.setOption("ModelRatio", { m: 1, dear: 3, other: 1 });
  await relay.setOption("CompletionRatio", { m: 2, dear: 2, other: 2 });
  await relay.inForce();
}

async function twoModels(side: Side, first: Play, second: Play = whole(side)): Promise<number[]> {
  const [one = 0] = await addChannels([{ name: "first", play: first, side }]);
  const [two = 0] = await addChannels([{ name: "second", play: second, side }], "dear");
  await setPrices();
  return [one, two];
}

/** The models that the end of the answer names. */
function namedModels(text: string): unknown {
  const events = text.split("\n").filter((line) => line.startsWith("data: {"));
  const named = events.map(
    (line) => JSON.parse(line.slice(6)) as { models?: unknown; response?: { models?: unknown } },
  );
  return named.map(({ models, response }) => models ?? response?.models).find((models) => models !== undefined);
}

describe("a stream of a model whose only channel breaks it off", () => {
  test.each(Object.entries(breaks))("%s: the caller's own models go on with it", async (_name, play) => {
    const [one, two] = await twoModels("openai", play("openai"));
    const { said, faults, text, log } = await ask("openai", { models: ["absent", "dear"] });
    expect([said, faults, namedModels(text)]).toEqual([TEXT, [], ["m", "dear"]]);
    expect(asked.map(({ name }) => name)).toEqual(["first", "second"]);
    expect(log).toMatchObject({ type: 2, model: "dear", channel: two });
    expect(log.attempts).toMatchObject([
      { channel: one, model: "m", outcome: "cut" },
      { channel: two, model: "dear", outcome: "ok", continues: "repeat" },
    ]);
  });

  test("each part is charged at the price of the model that wrote it, and the row has both", async () => {
    await twoModels("openai", breaks["a reset"]?.("openai") as Play);
    const { log } = await ask("openai", { models: ["dear"] });
    const { parts, lines, requested_model, continued } = log.other as {
      parts: Part[];
      lines: Line[];
      requested_model: string;
      continued: boolean;
    };
    expect([requested_model, continued]).toEqual(["m", true]);
    const [first, second] = parts;
    expect(parts).toMatchObject([{ model: "m" }, { model: "dear", prompt_tokens: 0 }]);
    expect(first?.quota).toBe((first?.prompt_tokens ?? 0) + 2 * (first?.completion_tokens ?? 0));
    expect(second?.quota).toBe(3 * 2 * (second?.completion_tokens ?? 0));
    expect((first?.completion_tokens ?? 0) + (second?.completion_tokens ?? 0)).toBe(PIECES.length);
    expect(second?.completion_tokens).toBeGreaterThan(0);
    expect(log.quota).toBe((first?.quota ?? 0) + (second?.quota ?? 0));
    expect([log.prompt, log.completion]).toEqual([first?.prompt_tokens, PIECES.length]);
    expect(lines.reduce((sum, { amount }) => sum + amount, 0)).toBe(log.quota);
    expect(lines.map(({ kind, model }) => [kind, model])).toEqual([
      ["prompt", "m"],
      ["completion", "m"],
      ["completion", undefined],
    ]);
    for (const { quantity, unitPrice, amount } of lines) expect(amount).toBeCloseTo(quantity * unitPrice, 0);
    // The check of the books computes it anew, and finds a part whose price was rewritten.
    expect(await relay.differences()).toEqual([]);
    const setRatio = (ratio: number) =>
      rewriteBooks(
        relay.database.sql,
        `update usage_logs set other = jsonb_set(other, '{parts,0,model_ratio}', '${ratio}')
         where id = (select max(id) from usage_logs where other ? 'parts')`,
      );
    await setRatio(5);
    expect(await relay.differences()).toMatchObject([{ check: "usage_logs.lines" }]);
    await setRatio(1);
  });

  test.each([
    ["the first", { m: 0.01 }],
    ["the second", { dear: 0.01 }],
    ["each", { m: 0.01, dear: 0.02 }],
  ])("where %s is charged by the call the books agree, and name tokens that were changed", async (_name, prices) => {
    await relay.setOption("ModelPrice", prices);
    await twoModels("openai", breaks["a reset"]?.("openai") as Play);
    const { log } = await ask("openai", { models: ["dear"] });
    expect((log.other.parts as Part[]).map(({ model }) => model)).toEqual(["m", "dear"]);
    expect(log.completion).toBe(PIECES.length);
    expect(await relay.differences()).toEqual([]);
    const addTokens = (count: number) =>
      rewriteBooks(
        relay.database.sql,
        `update usage_logs set completion_tokens = completion_tokens + ${count}
         where id = (select max(id) from usage_logs where other ? 'parts')`,
      );
    await addTokens(5);
    expect(await relay.differences()).toContainEqual(
      expect.objectContaining({
        check: (log.other.lines as Line[]).some(({ kind }) => kind !== "call")
          ? "usage_logs.lines"
          : "usage_logs.tokens",
      }),
    );
    await addTokens(-5);
  });

  test("a model that takes the beginning of an answer gets it", async () => {
    const rest: Play = (response, body) => {
      const given = String(body.messages.at(-1)?.content);
      return whole("anthropic", [TEXT.slice(given.length)])(response, body);
    };
    await addChannels([{ name: "first", play: breaksOff("openai", reset) }]);
    await addChannels([{ name: "second", play: rest, side: "anthropic", takesPrefill: true }], "claude-3-haiku");
    const { said, faults, text, log } = await ask("openai", { models: ["claude-3-haiku"] });
    expect([said, faults, namedModels(text)]).toEqual([TEXT, [], ["m", "claude-3-haiku"]]);
    expect(asked[1]?.body.messages.at(-1)).toMatchObject({ role: "assistant" });
    expect(log.attempts[1]).toMatchObject({ continues: "prefill", outcome: "ok" });
    const [first, second] = log.other.parts as Part[];
    expect(second?.completion_tokens).toBeLessThanOrEqual(PIECES.length);
    expect(log.quota).toBe((first?.quota ?? 0) + (second?.quota ?? 0));
  });

  test("a model that refuses a prefill is asked to repeat, and its refusal is not what the caller gets", async () => {
    const second: Play = (response, body) => {
      if (body.messages.at(-1)?.role !== "assistant") return whole("anthropic")(response, body);
      const error = {
        type: "invalid_request_error",
        message: "This model does not support assistant message prefill.",
      };
      response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify({ type: "error", error }));
    };
    await addChannels([{ name: "first", play: breaksOff("openai", reset) }]);
    await addChannels([{ name: "second", play: second, side: "anthropic", takesPrefill: true }], "claude-3-haiku");
    const { said, faults } = await ask("openai", { models: ["claude-3-haiku"] });
    expect([said, faults]).toEqual([TEXT, []]);
  });

  test("the next model is asked where one cannot go on; who adds nothing is charged nothing", async () => {
    await twoModels("openai", breaksOff("openai", reset), whole("openai", ["Something ", "else."]));
    await addChannels([{ name: "third", play: whole("openai") }], "other");
    const { said, faults, text, log } = await ask("openai", { models: ["dear", "other"] });
    expect([said, faults, namedModels(text)]).toEqual([TEXT, [], ["m", "other"]]);
    expect((log.other.parts as Part[]).map(({ model }) => model)).toEqual(["m", "other"]);
    expect(log.attempts.map(({ model, outcome }) => [model, outcome])).toEqual([
      ["m", "cut"],
      ["dear", "request"],
      ["other", "ok"],
    ]);
  });

  test("three models write one answer, and each gets its part", async () => {
    const repeats: Play = async (response) => {
      await write(response, start("openai") + textOf("openai", PIECES.slice(0, 7)));
      reset(response);
    };
    await twoModels("openai", breaksOff("openai", reset), repeats);
    await addChannels([{ name: "third", play: whole("openai") }], "other");
    const { said, faults, text, log } = await ask("openai", { models: ["dear", "other"] });
    expect([said, faults, namedModels(text)]).toEqual([TEXT, [], ["m", "dear", "other"]]);
    const parts = log.other.parts as Part[];
    expect(parts.map(({ model }) => model)).toEqual(["m", "dear", "other"]);
    expect(log.quota).toBe(parts.reduce((sum, { quota }) => sum + quota, 0));
    expect(log.completion).toBe(parts.reduce((sum, one) => sum + one.completion_tokens, 0));
  });

  test("where nobody can go on the caller gets an error event and pays what the first model wrote", async () => {
    await twoModels("openai", breaksOff("openai", reset), whole("openai", ["Something ", "else."]));
    const { said, text, log } = await ask("openai", { models: ["dear"] });
    expect(said).toBe(SAID.join(""));
    expect(text).not.toContain("[DONE]");
    expect(log).toMatchObject({ type: 2, model: "m" });
    expect(log.other.parts).toBeUndefined();
    expect(log.quota).toBe(log.prompt + 2 * log.completion);
  });

  test("a balance that does not carry the next model leaves it out", async () => {
    const caller = await relay.addCaller({ balance: 400 });
    await twoModels("openai", breaksOff("openai", reset));
    await relay.setOption("ModelRatio", { m: 0.01, dear: 500 });
    await relay.inForce();
    const answer = await fetch(`${relay.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${caller.token.key}`, "content-type": "application/json" },
      body: JSON.stringify({
        model: "m",
        models: ["dear"],
        stream: true,
        max_tokens: 50,
        messages: [{ role: "user", content: "Say" }],
      }),
    });
    expect(await answer.text()).not.toContain("[DONE]");
    expect(asked.map(({ name }) => name)).toEqual(["first"]);
  });
});

describe("the operator's fallback models", () => {
  const sides: [Side, string][] = [
    ["openai", "m"],
    ["anthropic", "m"],
  ];

  test.each(sides)("%s: go on with a stream by option only", async (side) => {
    await twoModels(side, breaksOff(side, reset));
    await relay.setOption("ModelFallbacks", { m: ["dear"] });
    await relay.inForce();
    const before = await post(side);
    expect((await before.text()).includes(side === "openai" ? "[DONE]" : "message_stop")).toBe(false);
    expect(asked.map(({ name }) => name)).toEqual(["first"]);
    await relay.setOption("FallbackContinuation", "true");
    await relay.inForce();
    const answer = await (await post(side)).text();
    expect(namedModels(answer)).toEqual(["m", "dear"]);
    expect(asked.map(({ name }) => name)).toEqual(["first", "first", "second"]);
  });

  test("do not replace the caller's: his go first, and are the only ones without the option", async () => {
    await twoModels("openai", breaksOff("openai", reset), whole("openai", ["Something ", "else."]));
    await addChannels([{ name: "third", play: whole("openai") }], "other");
    await relay.setOption("ModelFallbacks", { m: ["other"] });
    await relay.inForce();
    const { text } = await ask("openai", { models: ["dear"] });
    expect(text).not.toContain("[DONE]");
    expect(asked.map(({ name }) => name)).toEqual(["first", "second"]);
    expect((await logged()).prompt).toBeGreaterThanOrEqual(PROMPT_TOKENS - 10);
  });
});
