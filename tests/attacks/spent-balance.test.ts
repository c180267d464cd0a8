// Who: a caller whose model writes what takes a token for each byte, so that an estimate by length comes too late; and one
// whose stream is ended although his balance pays for more.
// What must hold: a stream takes all of a balance, to within a small step, and no more.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { countTokens } from "@/lib/relay/base/tokens/count-tokens";
import { chatBody, setUpRelay, until } from "../relay/harness";

const BALANCE = 40_000;
/** Neither thinks unseen, and one of them is translated. */
const MODELS = ["gpt-4.1", "claude-3-5-haiku"] as const;

/** What is written, one piece at a time. */
let pieces: () => string = () => "";

const event = (json: object): string =>
  `${"type" in json ? `event: ${json.type}\n` : ""}data: ${JSON.stringify(json)}\n\n`;
const openai = (content: string): string =>
  event({ id: "x", choices: [{ index: 0, delta: { content }, finish_reason: null }] });
const anthropic = (text: string): string =>
  event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } });
const BEGIN = [
  {
    type: "message_start",
    message: {
      id: "m",
      type: "message",
      role: "assistant",
      model: "m",
      content: [],
      stop_reason: null,
      usage: { input_tokens: 12, output_tokens: 1 },
    },
  },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
];

/** Writes without end. */
const upstream = createServer((request, response) => {
  request.resume().on("end", () => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const isAnthropic = request.url?.endsWith("/messages") === true;
    if (isAnthropic) response.write(BEGIN.map(event).join(""));
    const write = (): void => {
      while (!response.destroyed) if (!response.write((isAnthropic ? anthropic : openai)(pieces()))) return;
    };
    response.on("drain", () => setImmediate(write));
    write();
  });
});

const relay = setUpRelay({ prices: MODELS.join(",") });

beforeAll(async () => {
  await new Promise<void>((done) => upstream.listen(0, "127.0.0.1", () => done()));
  await until(async () => (await countTokens(["hello world"], "any")) === 2, 10_000);
  const baseUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  await relay.addChannel({ models: MODELS[0], baseUrl });
  await relay.addChannel({ models: MODELS[1], baseUrl, type: 14 });
  await relay.inForce();
});
afterAll(() => {
  upstream.closeAllConnections();
  upstream.close();
});

async function balanceAfter(model: string, write: () => string, count = 1) {
  const { user, token } = await relay.addCaller({ balance: BALANCE });
  pieces = write;
  const body = chatBody(model, { stream: true });
  await Promise.all(Array.from({ length: count }, () => relay.post(token.key, body)));
  await until(async () => (await relay.logsOf(user)).some(({ type }) => type === 2), 20_000);
  const rows = await relay.logsOf(user);
  expect(rows.filter(({ type, other }) => type === 2 && other.ended_by_balance !== true)).toEqual([]);
  return (await relay.balanceOf(user)).quota;
}

const random = (() => {
  let state = 7;
  return (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state % below;
  };
})();
const of = (first: number, count: number, length: number) => () =>
  Array.from({ length }, () => String.fromCodePoint(first + random(count))).join("");
const WORDS = [
  "The",
  " river",
  " runs",
  " through",
  " the",
  " weir",
  ",",
  " evenly",
  " and",
  " without",
  " sound",
  ".",
];
let at = 0;
const word = (): string => {
  at = (at + 1) % WORDS.length;
  return WORDS[at] ?? "";
};

describe.each(MODELS)("a stream of %s on a balance of 40,000", (model) => {
  test.each([
    ["Egyptian hieroglyphs", of(0x13000, 1_000, 40)],
    ["cuneiform", of(0x12000, 900, 40)],
    ["Yi syllables", of(0xa000, 1_100, 40)],
    ["rare ideographs", of(0x3400, 6_000, 40)],
    ["Cherokee", of(0x13a0, 80, 40)],
    ["Thaana", of(0x780, 48, 40)],
  ])("of %s in pieces of 40 takes no more than there is", async (_, write) => {
    // One piece has 160 tokens at most, of two quota each.
    expect(await balanceAfter(model, write)).toBeGreaterThanOrEqual(-320);
  });

  test.each([
    ["words, a token each", word],
    ["Chinese", of(0x4e00, 800, 8)],
    ["long pieces", () => "The river runs through the weir, evenly and without a sound. ".repeat(20)],
  ])("of %s uses it up, but for a small step", async (_, write) => {
    const left = await balanceAfter(model, write);
    expect(left).toBeLessThanOrEqual(0.02 * BALANCE);
    expect(left).toBeGreaterThanOrEqual(-0.02 * BALANCE);
  });
});

test("ten streams at once of one balance use it up together", async () => {
  const left = await balanceAfter(MODELS[0], word, 10);
  expect(left).toBeLessThanOrEqual(0.1 * BALANCE);
  expect(left).toBeGreaterThanOrEqual(-0.02 * BALANCE);
});
