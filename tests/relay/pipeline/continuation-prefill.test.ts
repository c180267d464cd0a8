import { describe, expect, test } from "vitest";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import {
  breaksOff,
  type Play,
  reset,
  SAID,
  setUpContinuation,
  start,
  TEXT,
  textOf,
  whole,
} from "../continuation-harness";
import { upstreamSides } from "../stream-sides";

const { relay, asked, addChannels, ask } = setUpContinuation();

describe("an upstream that can be given the beginning of an answer", () => {
  const GIVEN = SAID.join("").trimEnd();
  const rest =
    (echo: string): Play =>
    (response) => {
      const end = upstreamSides.openai.end({ prompt: 40, completion: 5 });
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(start("openai") + textOf("openai", [echo + TEXT.slice(GIVEN.length)]) + end);
    };
  const messages = [
    { role: "user", content: "What does the river do?" },
    { role: "assistant", content: GIVEN, prefix: true },
  ];

  test.each([
    ["goes on from it", ""],
    ["says it again first", GIVEN],
  ])("%s: the prompt and the text are charged once, the rest is our cost (issue 12)", async (_name, echo) => {
    await addChannels([
      { name: "a", play: breaksOff("openai", reset) },
      { name: "b", type: CHANNEL_TYPE.mistral, takesPrefill: true, play: rest(echo) },
    ]);
    const { said, faults, usage, log } = await ask("openai");
    expect({ said, faults }).toEqual({ said: TEXT, faults: [] });
    expect(asked.at(-1)?.body.messages).toEqual(messages);
    expect(asked.at(-1)?.body.max_tokens).toBeLessThan(100);
    const given = 40 - log.prompt;
    expect(given).toBeGreaterThan(3);
    expect(log).toMatchObject({ completion: 5 + given, other: { continued: true, estimated: true } });
    expect(usage).toEqual({ prompt: log.prompt, completion: log.completion });
    expect(log.attempts).toMatchObject([{ outcome: "cut" }, { outcome: "ok", continues: "prefill", cost: 50 }]);
  });

  test("and refuses it, is asked for everything; that is neither a failure nor the caller's (issue 12)", async () => {
    await relay.setOption("RetryTimes", "1");
    const ids = await addChannels([
      { name: "a", play: breaksOff("openai", reset) },
      {
        name: "b",
        type: CHANNEL_TYPE.mistral,
        takesPrefill: true,
        play: (response, body) => {
          if (body.messages.at(-1)?.role !== "assistant") return whole("openai")(response, body);
          response.writeHead(400, { "content-type": "application/json" });
          response.end('{"error":{"message":"the last message must be of the user"}}');
        },
      },
    ]);
    const { said, faults, log } = await ask("openai");
    expect({ said, faults }).toEqual({ said: TEXT, faults: [] });
    expect(log.attempts).toMatchObject([
      { channel: ids[0], outcome: "cut" },
      { channel: ids[1], outcome: "request", status: 400, continues: "prefill" },
      { channel: ids[1], outcome: "ok", continues: "repeat" },
    ]);
  });

  test("at another address than the provider's is asked to repeat, unless the channel says that it takes a beginning (issue 12)", async () => {
    await addChannels([
      { name: "a", play: breaksOff("openai", reset) },
      { name: "b", type: CHANNEL_TYPE.mistral, play: whole("openai") },
    ]);
    const { said, faults, log } = await ask("openai");
    expect({ said, faults }).toEqual({ said: TEXT, faults: [] });
    expect(asked.at(-1)?.body.messages.at(-1)?.role).toBe("user");
    expect(log.attempts.at(-1)).toMatchObject({ continues: "repeat" });
  });

  test("of Anthropic's goes on in the block that is open (issue 12)", async () => {
    await addChannels(
      [
        { name: "a", side: "anthropic", play: breaksOff("anthropic", reset) },
        {
          name: "b",
          side: "anthropic",
          takesPrefill: true,
          play: (response) => {
            const end = upstreamSides.anthropic.end({ prompt: 40, completion: 5 });
            response.writeHead(200, { "content-type": "text/event-stream" });
            response.end(start("anthropic") + textOf("anthropic", [TEXT.slice(GIVEN.length)]) + end);
          },
        },
      ],
      "claude-3-haiku",
    );
    const { said, faults, log } = await ask("anthropic", { model: "claude-3-haiku" });
    expect({ said, faults }).toEqual({ said: TEXT, faults: [] });
    expect(asked.at(-1)?.body.messages.at(-1)).toEqual({ role: "assistant", content: GIVEN });
    expect(log.attempts.at(-1)).toMatchObject({ continues: "prefill" });
  });
});
