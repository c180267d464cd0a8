// Who: chat upstreams that still answer in OpenAI's older form of a call, and servers of Anthropic's format that end answers in
// OpenAI's words. What must hold: a call reaches callers of every dialect as one, and an answer that was cut is never called whole.
// https://platform.openai.com/docs/api-reference/chat/object (function_call, deprecated; finish_reason length), November 2026.
import { describe, expect, test } from "vitest";
import { PassThroughAnswer } from "@/lib/relay/answers/pass-through";
import { TranslateAnswer } from "@/lib/relay/answers/translate";
import { Secrets } from "@/lib/relay/base/secrets";
import { dialects } from "@/lib/relay/wire/dialects";
import type { Dialect } from "@/lib/relay/wire/dialects/dialect";

const of = (id: string): Dialect => {
  const dialect = dialects.get(id);
  if (!dialect) throw new Error(id);
  return dialect;
};
const secrets = new Secrets("", [], "");
const context = { requestId: "r1", model: "m", wantsUsage: false, createdAt: 1 };

function answered(upstreamId: string, callerId: string, body: string, isStream: boolean): string {
  const { upstream } = of(upstreamId);
  const { client } = of(callerId);
  const { readUsage } = upstream;
  const rest = { readUsage, withholdUsage: false, reshape: null, secrets, hasTools: true };
  const answer =
    upstreamId === callerId
      ? new PassThroughAnswer({ dialect: upstream, isStream, ...rest })
      : new TranslateAnswer({ upstream, clientDialect: client, context, isStream, readUsage });
  const contentType = isStream ? "text/event-stream" : "application/json";
  answer.start({ status: 200, contentType, retryAfter: undefined });
  const parts = [answer.push(Buffer.from(body)), answer.end(), answer.ending()];
  return parts.map((part) => part?.toString("utf8") ?? "").join("");
}

const chunk = (delta: object, finish: string | null) =>
  `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const older = {
  whole: JSON.stringify({
    id: "c",
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: null,
          function_call: { name: "get_weather", arguments: '{"city":"Bern"}' },
        },
        finish_reason: "function_call",
      },
    ],
  }),
  stream: [
    chunk({ role: "assistant", content: null, function_call: { name: "get_weather", arguments: "" } }, null),
    chunk({ function_call: { arguments: '{"city":' } }, null),
    chunk({ function_call: { arguments: '"Bern"}' } }, null),
    chunk({}, "stop"),
    "data: [DONE]\n\n",
  ].join(""),
};

describe.each(["anthropic-messages", "openai-responses", "gemini-generate-content"])("a caller of %s", (caller) => {
  test.each([false, true])("gets a call that an upstream wrote in the older form, streamed: %s", (isStream) => {
    const text = answered("openai-chat", caller, isStream ? older.stream : older.whole, isStream);
    expect(text).toContain("get_weather");
    expect(text).toContain("Bern");
    if (caller === "anthropic-messages") expect(text).toContain('"stop_reason":"tool_use"');
  });
});

const block = { type: "tool_use", id: "t1", name: "get_weather", input: {} };
const event = (type: string, rest: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;
const cut = (reason: string) => ({
  whole: JSON.stringify({ id: "m", type: "message", role: "assistant", content: [block], stop_reason: reason }),
  stream: [
    event("message_start", { message: { id: "m", model: "m", usage: { input_tokens: 1 } } }),
    event("content_block_start", { index: 0, content_block: block }),
    event("content_block_delta", { index: 0, delta: { type: "input_json_delta", partial_json: '{"ci' } }),
    event("content_block_stop", { index: 0 }),
    event("message_delta", { delta: { stop_reason: reason }, usage: { output_tokens: 9 } }),
    event("message_stop", {}),
  ].join(""),
});

describe.each([
  [
    "length",
    /"(stop_reason":"(max_tokens|length)|finish_reason":"length|reason":"max_output_tokens|finishReason":"MAX_TOKENS)"/,
  ],
  [
    "content_filter",
    /"(stop_reason":"(refusal|content_filter)|finish_reason":"content_filter|reason":"content_filter|finishReason":"SAFETY)"/,
  ],
])("an answer of Anthropic's format that was cut with the word %s in the middle of a call", (reason, words) => {
  test.each([...dialects.keys()].flatMap((caller) => [false, true].map((isStream) => ({ caller, isStream }))))(
    "is no call to be run: %j",
    ({ caller, isStream }) => {
      const { whole, stream } = cut(reason);
      const text = answered("anthropic-messages", caller, isStream ? stream : whole, isStream);
      expect(text).toMatch(words);
      expect(text).not.toMatch(/"(stop_reason":"tool_use|finish_reason":"tool_calls)"/);
    },
  );
});
