import { describe, expect, test } from "vitest";
import {
  breaksOff,
  PIECES,
  PROMPT_TOKENS,
  reset,
  SAID,
  setUpContinuation,
  start,
  textOf,
  whole,
  write,
} from "../continuation-harness";

const { relay, plays, asked, addChannels, ask } = setUpContinuation();

describe("when nobody can go on", () => {
  const cutAs = (answer: Awaited<ReturnType<typeof ask>>, said: string) => {
    expect(answer.said).toBe(said);
    expect(answer.faults).toContain("error");
    expect(answer.text).not.toContain("[DONE]");
    expect(answer.log).toMatchObject({ type: 2, other: { outcome: "cut", estimated: true } });
    expect(answer.log.other.continued).toBeUndefined();
  };

  test("the caller gets an error event, and pays what the first delivered (issue 12)", async () => {
    const ids = await addChannels([
      { name: "a", play: breaksOff("openai", reset) },
      { name: "b", play: (response) => void response.writeHead(500).end() },
      { name: "c", play: whole("openai", ["The stream", " stands still."]) },
    ]);
    const answer = await ask("openai");
    cutAs(answer, SAID.join(""));
    expect(answer.log.channel).toBe(ids[0]);
    expect(answer.log.completion).toBeLessThan(PIECES.length);
    expect(answer.log.attempts).toMatchObject([
      { channel: ids[0], outcome: "cut", cost: answer.log.quota },
      { channel: ids[1], outcome: "failed", status: 500, cost: 0 },
      { channel: ids[2], outcome: "request", cause: "differs", continues: "repeat", cost: PROMPT_TOKENS + 4 },
    ]);
  });

  test("after one answer in other words no further channel is paid for another (issue 12)", async () => {
    await addChannels([
      { name: "a", play: breaksOff("openai", reset) },
      { name: "b", play: whole("openai", ["The stream", " stands still."]) },
      { name: "c", play: whole("openai") },
    ]);
    cutAs(await ask("openai"), SAID.join(""));
    expect(asked.map(({ name }) => name)).toEqual(["a", "b"]);
  });

  test("content that the first does not allow in mid-answer is not taken to another (issue 12)", async () => {
    const forbids = 'data: {"error":{"message":"the output was stopped","code":"content_filter"}}\n\n';
    await addChannels([
      { name: "a", play: breaksOff("openai", (response) => void response.end(forbids)) },
      { name: "b", play: whole("openai") },
    ]);
    cutAs(await ask("openai"), SAID.join(""));
    expect(asked.map(({ name }) => name)).toEqual(["a"]);
  });

  test("an answer in other words opens no circuit (issue 12)", async () => {
    await relay.setOption("CircuitFailures", "1");
    const ids = await addChannels([
      { name: "a", play: breaksOff("openai", reset) },
      { name: "b", play: whole("openai", ["The stream", " stands still."]) },
    ]);
    await ask("openai");
    const rows = await relay.database.sql<{ channel: number }[]>`select channel_id as channel from channel_circuits`;
    expect(rows.map(({ channel }) => channel)).not.toContain(ids[1]);
  });

  test("an answer that ends before the caller's text does is none (issue 12)", async () => {
    await addChannels([
      { name: "a", play: breaksOff("openai", reset) },
      { name: "b", play: whole("openai", SAID.slice(0, 2)) },
    ]);
    cutAs(await ask("openai"), SAID.join(""));
  });

  const call = { index: 0, id: "call_1", type: "function", function: { name: "look", arguments: '{"at"' } };
  const frame = (delta: object) => `data: ${JSON.stringify({ id: "first", choices: [{ index: 0, delta }] })}\n\n`;

  test.each([
    ["a call", frame({ tool_calls: [call] })],
    ["a refusal", frame({ refusal: "I may not" })],
    ["a signed thought", frame({ reasoning_details: [{ type: "reasoning.text", text: "Hm", signature: "s" }] })],
    ["a sound", frame({ audio: { data: "AAAA" } })],
  ])("%s is not continued", async (_name, said) => {
    await addChannels([
      { name: "a", play: breaksOff("openai", reset, []) },
      { name: "b", play: whole("openai") },
    ]);
    plays.a = async (response) => {
      await write(response, start("openai") + textOf("openai", SAID) + said);
      reset(response);
    };
    cutAs(await ask("openai"), SAID.join(""));
    expect(asked.map(({ name }) => name)).toEqual(["a"]);
  });

  test.each([
    ["the option is off", { StreamContinuation: "false" }, {}],
    ["there are no retries", { RetryTimes: "0" }, {}],
    ["probabilities are asked for", {}, { logprobs: true }],
  ])("nothing is continued where %s", async (_name, options, more) => {
    for (const [name, value] of Object.entries(options)) await relay.setOption(name, value);
    await addChannels([
      { name: "a", play: breaksOff("openai", reset) },
      { name: "b", play: whole("openai") },
    ]);
    const answer = await ask("openai", more);
    cutAs(answer, SAID.join(""));
    expect(asked.map(({ name }) => name)).toEqual(["a"]);
  });
});
