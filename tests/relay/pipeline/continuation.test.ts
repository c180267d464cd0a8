import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import {
  breaksOff,
  PIECES,
  PROMPT_TOKENS,
  reset,
  SAID,
  setUpContinuation,
  start,
  TEXT,
  textOf,
  whole,
  write,
} from "../continuation-harness";
import { until } from "../harness";
import { type Side, upstreamSides } from "../stream-sides";

const { relay, plays, asked, addChannels, post, logged, ask } = setUpContinuation();

const pairs: [Side, Side, Side][] = (["openai", "anthropic"] as const).flatMap((caller) =>
  (["openai", "anthropic"] as const).flatMap((first) =>
    (["openai", "anthropic"] as const).map((second): [Side, Side, Side] => [caller, first, second]),
  ),
);

describe.each(pairs)(
  "a stream to a caller of %s that an upstream of %s breaks off, and one of %s continues",
  (caller, first, second) => {
    test("is one whole answer: one start, no word lost or doubled, one end, charged once (issue 12)", async () => {
      const ids = await addChannels([
        { name: "a", side: first, play: breaksOff(first, reset) },
        { name: "b", side: second, play: whole(second) },
      ]);
      const { status, said, faults, usage, log } = await ask(caller);
      expect({ status, said, faults }).toEqual({ status: 200, said: TEXT, faults: [] });
      expect(usage).toEqual({ prompt: PROMPT_TOKENS, completion: PIECES.length });
      expect(log).toMatchObject({ type: 2, prompt: PROMPT_TOKENS, completion: PIECES.length, channel: ids[1] });
      expect(log.quota).toBe(PROMPT_TOKENS + 2 * PIECES.length);
      expect(log.other).toMatchObject({ continued: true });
      expect(log.other.estimated).toBeUndefined();
      expect(log.other.outcome).toBeUndefined();
      expect(log.attempts).toMatchObject([
        { channel: ids[0], outcome: "cut" },
        { channel: ids[1], outcome: "ok", continues: "repeat" },
      ]);
    });
  },
);

const fin = (response: ServerResponse): void => void response.socket?.destroy();
const error = 'data: {"error":{"message":"no room","type":"server_error"}}\n\n';
const breaks: Record<string, (response: ServerResponse) => void> = {
  "closes the connection": fin,
  "ends without a finish": (response) => void response.end(),
  "ends within a line": (response) => void response.end('data: {"id":"first","choi'),
  "falls silent": () => {},
  "sends only comments": (response) => {
    const timer = setInterval(() => response.write(": alive\n\n"), 100);
    response.on("close", () => clearInterval(timer));
  },
  "reports an error": (response) => void response.end(error),
  "sends a line of 12 MB": (response) => void response.end(`data: {"x":"${"x".repeat(12 * 1_048_576)}"}\n\n`),
};

test.each(Object.entries(breaks))(
  "an upstream that %s in mid-answer is replaced unseen (issue 12)",
  async (_name, how) => {
    await addChannels([
      { name: "a", play: breaksOff("openai", how) },
      { name: "b", play: whole("openai") },
    ]);
    const { said, faults, log } = await ask("openai");
    expect({ said, faults }).toEqual({ said: TEXT, faults: [] });
    expect(log.quota).toBe(PROMPT_TOKENS + 2 * PIECES.length);
  },
);

test("a third channel goes on where the second breaks off, too (issue 12)", async () => {
  const ids = await addChannels([
    { name: "a", play: breaksOff("openai", reset) },
    { name: "b", side: "anthropic", play: breaksOff("anthropic", reset, PIECES.slice(0, 6)) },
    { name: "c", play: whole("openai") },
  ]);
  const { said, faults, log } = await ask("openai");
  expect({ said, faults }).toEqual({ said: TEXT, faults: [] });
  expect(log.quota).toBe(PROMPT_TOKENS + 2 * PIECES.length);
  expect(log.attempts).toMatchObject([
    { channel: ids[0], outcome: "cut" },
    { channel: ids[1], outcome: "cut", continues: "repeat" },
    { channel: ids[2], outcome: "ok", continues: "repeat" },
  ]);
  expect(log.attempts.every(({ cost }) => typeof cost === "number" && cost > 0)).toBe(true);
});

test("a whole answer to a request for a stream goes on with it (issue 12)", async () => {
  const body = {
    id: "second",
    choices: [{ index: 0, message: { role: "assistant", content: TEXT }, finish_reason: "stop" }],
    usage: { prompt_tokens: PROMPT_TOKENS, completion_tokens: PIECES.length },
  };
  await addChannels([
    { name: "a", play: breaksOff("openai", reset) },
    {
      name: "b",
      play: (response) =>
        void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body)),
    },
  ]);
  const { said, faults } = await ask("openai");
  expect({ said, faults }).toEqual({ said: TEXT, faults: [] });
});

test("thoughts are not said twice, and an answer of which only thoughts came begins (issue 12)", async () => {
  const frame = (delta: object) =>
    `data: ${JSON.stringify({ id: "first", created: 5, model: "m", choices: [{ index: 0, delta }] })}\n\n`;
  const thinking = (thought: string): string => frame({ reasoning_content: thought });
  await addChannels([
    { name: "a", play: () => {} },
    { name: "b", play: () => {} },
  ]);
  plays.a = async (response) => {
    await write(response, start("openai") + thinking("Let me"));
    reset(response);
  };
  plays.b = async (response) => {
    const end = upstreamSides.openai.end({ prompt: PROMPT_TOKENS, completion: 20 });
    response.end(start("openai") + thinking("I see") + textOf("openai", PIECES) + end);
  };
  const { text, said, faults } = await ask("openai");
  expect({ said, faults }).toEqual({ said: TEXT, faults: [] });
  expect(text).toContain("Let me");
  expect(text).not.toContain("I see");
});

test("a caller who leaves while another channel begins pays what was delivered (issue 12)", async () => {
  await addChannels([
    { name: "a", play: breaksOff("openai", reset) },
    { name: "b", play: (response) => write(response, start("openai") + textOf("openai", SAID.slice(0, 2))) },
  ]);
  const answer = await post("openai");
  const reader = answer.body?.getReader();
  await until(async () => asked.length === 2);
  await reader?.cancel();
  const log = await logged();
  expect(log).toMatchObject({ type: 2, other: { outcome: "gone", estimated: true } });
  expect(log.completion).toBeGreaterThan(3);
});

test("a repeat of a continued request gets the same bytes (issue 12)", async () => {
  await addChannels([
    { name: "a", play: breaksOff("openai", reset) },
    { name: "b", play: whole("openai") },
  ]);
  const headers = { "idempotency-key": "the-same" };
  const first = await (await post("openai", {}, headers)).text();
  const again = await post("openai", {}, headers);
  expect(again.headers.get("idempotent-replayed")).toBe("true");
  expect(await again.text()).toBe(first);
  expect(upstreamSides.openai.read(first)).toMatchObject({ said: TEXT, faults: [] });
  expect(asked).toHaveLength(2);
});

test("events without a blank line after them are not mixed with those that follow (issue 12)", async () => {
  await addChannels([
    { name: "a", play: () => {} },
    { name: "b", play: whole("openai") },
  ]);
  plays.a = async (response) => {
    await write(response, (start("openai") + textOf("openai", SAID)).replaceAll("\n\n", "\n"));
    reset(response);
  };
  const { text, said, faults } = await ask("openai");
  expect({ said, faults }).toEqual({ said: TEXT, faults: [] });
  const last = text.lastIndexOf(JSON.stringify(SAID.at(-1)));
  expect(text.slice(text.indexOf("\n", last)).startsWith("\n\n")).toBe(true);
});

test("a balance that is used up ends a continued stream as it ends every other (issue 12)", async () => {
  const long = Array.from({ length: 3_000 }, (_, i) => ` word${i}`);
  await addChannels([
    { name: "a", play: breaksOff("openai", reset, long.slice(0, 50)) },
    {
      name: "b",
      play: async (response) => {
        await write(response, start("openai"));
        for (let at = 0; at < long.length && !response.destroyed; at += 20) {
          await write(response, textOf("openai", long.slice(at, at + 20)));
        }
      },
    },
  ]);
  const poor = await relay.addCaller({ balance: 2_000 });
  const answer = await post("openai", { max_tokens: undefined }, { authorization: `Bearer ${poor.token.key}` });
  const { said, faults } = upstreamSides.openai.read(await answer.text());
  expect(faults).toEqual([]);
  expect(long.join("").startsWith(said)).toBe(true);
  expect(said.length).toBeGreaterThan(long.slice(0, 50).join("").length);
  await until(async () => (await relay.logsOf(poor.user)).length === 1, 10_000);
  const [log] = await relay.logsOf(poor.user);
  expect(log).toMatchObject({ other: { ended_by_balance: true, continued: true } });
  expect(asked.map(({ body }) => Number(body.max_tokens) < 1_000)).toEqual([true, true]);
});

test("the caller is told to wait while another channel repeats what it has (issue 12)", async () => {
  await relay.setOption("StreamKeepAliveSeconds", "0.2");
  let isOver = false;
  await addChannels([
    { name: "a", play: breaksOff("openai", reset) },
    { name: "b", play: () => {} },
  ]);
  plays.b = async (response) => {
    await write(response, start("openai"));
    // Slower than the limit of the first token, but never silent.
    for (const piece of SAID) {
      await write(response, textOf("openai", [piece]));
      await new Promise((done) => setTimeout(done, 400));
    }
    isOver = true;
    await write(response, textOf("openai", PIECES.slice(SAID.length)));
    response.end(upstreamSides.openai.end({ prompt: PROMPT_TOKENS, completion: PIECES.length }));
  };
  const { text, said, faults } = await ask("openai");
  expect({ said, faults, isOver }).toEqual({ said: TEXT, faults: [], isOver: true });
  expect(text.split("\n").filter((line) => line.startsWith(":")).length).toBeGreaterThan(1);
});

test("a caller who leaves a continued stream pays its usage, once it has been drained (issue 12)", async () => {
  let end = (): void => {};
  const isLeft = new Promise<void>((done) => {
    end = done;
  });
  await addChannels([
    { name: "a", play: breaksOff("openai", reset) },
    { name: "b", play: () => {} },
  ]);
  plays.b = async (response) => {
    await write(response, start("openai") + textOf("openai", PIECES.slice(0, -1)));
    await isLeft;
    await write(response, textOf("openai", PIECES.slice(-1)));
    response.end(upstreamSides.openai.end({ prompt: PROMPT_TOKENS, completion: PIECES.length }));
  };
  const answer = await post("openai");
  const reader = answer.body?.getReader();
  const beforeLast = JSON.stringify(PIECES.at(-2));
  for (let text = ""; reader && !text.includes(beforeLast); ) {
    const { done, value } = await reader.read();
    if (done) throw new Error("the stream ended");
    text += Buffer.from(value).toString();
  }
  await reader?.cancel();
  end();
  expect(await logged()).toMatchObject({
    quota: PROMPT_TOKENS + 2 * PIECES.length,
    other: { outcome: "gone", drained: { whole: true } },
  });
});

const LEGACY = { messages: [{ role: "function", name: "look", content: "a river" }] };

test("a channel that the request cannot be translated for is passed over (issue 12)", async () => {
  const ids = await addChannels([
    { name: "a", play: breaksOff("openai", reset) },
    { name: "b", side: "anthropic", play: whole("anthropic") },
    { name: "c", play: whole("openai") },
  ]);
  const { said, faults, log } = await ask("openai", LEGACY);
  expect({ said, faults }).toEqual({ said: TEXT, faults: [] });
  expect(log.attempts).toMatchObject([
    { channel: ids[0], outcome: "cut" },
    { channel: ids[1], outcome: "failed", cause: "setup" },
    { channel: ids[2], outcome: "ok", continues: "repeat" },
  ]);
});

test("what was delivered is charged where the request cannot be translated for the others (issue 12)", async () => {
  await addChannels([
    { name: "a", play: breaksOff("openai", reset) },
    { name: "b", side: "anthropic", play: whole("anthropic") },
  ]);
  const { said, faults, log } = await ask("openai", LEGACY);
  expect(said).toBe(SAID.join(""));
  expect(faults).toContain("error");
  expect(log).toMatchObject({ type: 2, other: { outcome: "cut" } });
  expect(log.quota).toBeGreaterThan(0);
});

test("a channel that thinks once more before it repeats has begun to answer (issue 12)", async () => {
  const thinking = (thought: string): string =>
    `data: ${JSON.stringify({ id: "second", choices: [{ index: 0, delta: { reasoning_content: thought } }] })}\n\n`;
  const ids = await addChannels([
    { name: "a", play: breaksOff("openai", reset) },
    { name: "b", play: () => {} },
    { name: "c", play: (response) => void response.writeHead(500).end() },
  ]);
  plays.b = async (response) => {
    await write(response, start("openai"));
    // Longer than the limit of the first token, but never silent.
    for (const thought of ["I ", "think ", "of ", "it."]) {
      await write(response, thinking(thought));
      await new Promise((done) => setTimeout(done, 400));
    }
    const end = upstreamSides.openai.end({ prompt: PROMPT_TOKENS, completion: 20 });
    response.end(textOf("openai", PIECES) + end);
  };
  const { said, faults, log } = await ask("openai");
  expect({ said, faults }).toEqual({ said: TEXT, faults: [] });
  expect(log.channel).toBe(ids[1]);
});
