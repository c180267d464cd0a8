import { describe, expect, test } from "vitest";
import { Secrets } from "../base/secrets";
import { anthropicMessages } from "../wire/dialects/anthropic-messages";
import type { Dialect } from "../wire/dialects/dialect";
import { openaiChat } from "../wire/dialects/openai-chat";
import { openaiResponses } from "../wire/dialects/openai-responses";
import { type Answer, AnswerCut, AnswerRefused } from "./answer";
import { PassThroughAnswer } from "./pass-through";
import { TranslateAnswer } from "./translate";

const secrets = new Secrets("", [], "");

function passThrough(dialect: Dialect, isStream: boolean): Answer {
  const { upstream } = dialect;
  const { readUsage } = upstream;
  return new PassThroughAnswer({
    dialect: upstream,
    isStream,
    withholdUsage: false,
    readUsage,
    reshape: null,
    secrets,
  });
}

function translate(dialect: Dialect, isStream: boolean): Answer {
  const { client } = dialect === openaiChat ? anthropicMessages : openaiChat;
  const { upstream } = dialect;
  const context = { requestId: "r1", model: "m", wantsUsage: false, createdAt: 1 };
  return new TranslateAnswer({ upstream, clientDialect: client, context, isStream, readUsage: upstream.readUsage });
}

const data = (json: unknown): string => `data: ${JSON.stringify(json)}\n\n`;
const event = (type: string, rest: object): string => `event: ${type}\n${data({ type, ...rest })}`;
const chunk = (delta: object, reason: string | null = null): string =>
  data({ id: "c", choices: [{ index: 0, delta, finish_reason: reason }] });

type Words = { lead: string; text: string; finish: string; stop: string; broken: string; whole: object };

const openai: Words = {
  lead: `: waiting\n\n${chunk({ role: "assistant", content: "" })}`,
  text: chunk({ content: "Once" }),
  finish: chunk({}, "stop"),
  stop: "data: [DONE]\n\n",
  broken: 'data: {"choices":[{"delta":{"content":"br\n\n',
  whole: { id: "c", choices: [{ index: 0, message: { role: "assistant", content: "Once" }, finish_reason: "stop" }] },
};
const anthropic: Words = {
  lead:
    `: waiting\n\n${event("message_start", { message: { id: "m", usage: { input_tokens: 3, output_tokens: 1 } } })}` +
    event("ping", {}) +
    event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
  text: event("content_block_delta", { index: 0, delta: { type: "text_delta", text: "Once" } }),
  finish: event("message_delta", { delta: { stop_reason: "end_turn" }, usage: { output_tokens: 2 } }),
  stop: event("message_stop", {}),
  broken: 'event: content_block_delta\ndata: {"type":"content_block_delta","delta":{"text":"br\n\n',
  whole: { type: "message", content: [{ type: "text", text: "Once" }], stop_reason: "end_turn", usage: {} },
};

const place = { item_id: "i", output_index: 0, content_index: 0 };
/** Its last event is end marker and finish reason in one. */
const responses: Words = {
  lead:
    `: waiting\n\n${event("response.created", { response: { id: "r", status: "in_progress", error: null, output: [] } })}` +
    event("response.output_item.added", { output_index: 0, item: { id: "i", type: "message", content: [] } }) +
    event("response.content_part.added", { ...place, part: { type: "output_text", text: "" } }),
  text: event("response.output_text.delta", { ...place, delta: "Once" }),
  finish: "",
  stop: event("response.completed", { response: { id: "r", status: "completed", error: null, output: [] } }),
  broken: 'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","delta":"br\n\n',
  whole: {
    ...{ id: "r", object: "response", status: "completed" },
    output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "Once" }] }],
  },
};

/** Errors as upstreams of any format write them into a stream, with the status that each stands for. */
const errors: Record<string, [text: string, status: number]> = {
  "an event named error": [`event: error\n${data({ error: { message: "no" } })}`, 502],
  "an event named error without JSON": ["event: error\ndata: overloaded\n\n", 502],
  "an object of the type error": [data({ type: "error", error: { type: "overloaded_error", message: "no" } }), 529],
  "an error behind other keys": [data({ id: "c", created: 1, error: { message: "no", code: 429 } }), 429],
  "an error beside choices": [data({ type: "x", choices: [{ index: 0, delta: {} }], error: { code: "503" } }), 503],
  "an error as text": [data({ error: "no" }), 502],
  "an object named error": [data({ object: "error", message: "no", code: 400 }), 400],
  "a code and a message": [data({ code: 500, message: "no" }), 500],
  "an error event whose fields are its own": [
    event("error", { code: "rate_limit_exceeded", message: "no", param: null }),
    429,
  ],
  "no success": [data({ success: false, msg: "no" }), 502],
};

const forms = { LF: (text: string) => text, CRLF: (text: string) => text.replaceAll("\n", "\r\n") };
const pieces = [1, 11, 65_536];

/** Feeds an answer; returns what came out before the answer was over, and how it ended. */
function run(answer: Answer, text: string, contentType: string, size = 65_536) {
  answer.start({ status: 200, contentType, retryAfter: undefined });
  const bytes = Buffer.from(text);
  let sent = "";
  try {
    for (let at = 0; at < bytes.length; at += size) sent += answer.push(bytes.subarray(at, at + size)) ?? "";
    sent += answer.end() ?? "";
    return { sent, whole: sent + answer.ending().toString(), error: null, answer };
  } catch (error) {
    return { sent, whole: "", error: error as Error, answer };
  }
}

function statusOf(error: Error | null): unknown {
  if (!(error instanceof AnswerRefused)) return error;
  return error.failure.kind === "status" ? error.failure.status : error.failure.kind;
}

const sides = [
  ["openai-chat, passed through", openaiChat, openai, passThrough],
  ["anthropic-messages, passed through", anthropicMessages, anthropic, passThrough],
  ["openai-responses, passed through", openaiResponses, responses, passThrough],
  ["openai-chat, translated", openaiChat, openai, translate],
  ["anthropic-messages, translated", anthropicMessages, anthropic, translate],
  ["openai-responses, translated", openaiResponses, responses, translate],
] as const;

describe.each(sides)("a stream of %s", (_name, dialect, words, open) => {
  const { lead, text, finish, stop, broken } = words;

  for (const [form, write] of Object.entries(forms)) {
    const stream = (given: string, size?: number) => run(open(dialect, true), write(given), "text/event-stream", size);

    test.each(Object.entries(errors))(
      `${form}: %s before content is a failure with its status`,
      (_what, [error, status]) => {
        for (const given of [error, lead + error, lead + error + text + finish + stop]) {
          for (const size of pieces) {
            const { sent, error: thrown } = stream(given, size);
            expect([sent, statusOf(thrown)]).toEqual(["", status]);
          }
        }
      },
    );

    test.each(Object.entries(errors))(`${form}: %s after content cuts the answer`, (_what, [error]) => {
      for (const sofar of [lead + text, lead + text + text + finish]) {
        const answer = open(dialect, true);
        answer.start({ status: 200, contentType: "text/event-stream", retryAfter: undefined });
        expect(answer.push(Buffer.from(write(sofar)))?.toString()).toContain("Once");
        expect(() => answer.push(Buffer.from(write(error + stop)))).toThrow(AnswerCut);
      }
    });

    test(`${form}: a clean end without an end marker and a finish reason, or within a line, is no success`, () => {
      for (const size of pieces) {
        for (const given of ["", "\n", ": waiting\n\n", lead, lead + stop, `${lead}data: {"cho`]) {
          const { sent, error } = stream(given, size);
          expect(sent).toBe("");
          expect(error).toBeInstanceOf(AnswerRefused);
        }
      }
      for (const given of [lead + text, `${lead + text}data: {"cho`, `${lead + text + finish}data: {"usa`]) {
        expect(stream(given, 60).error).toBeInstanceOf(AnswerCut);
      }
    });

    test(`${form}: a finish reason and a clean end are a whole answer, and so is an end marker`, () => {
      for (const size of pieces) {
        const finished = finish === "" ? [] : [lead + text + finish];
        for (const given of [...finished, lead + text + stop, lead + text + finish + stop.trimEnd()]) {
          const { whole, error, answer } = stream(given, size);
          expect(error).toBeNull();
          expect(whole).toMatch(/message_stop|\[DONE\]|response\.completed/);
          expect(answer.report().isComplete).toBe(true);
        }
      }
    });

    test(`${form}: the end marker ends it, whatever follows`, () => {
      const answer = open(dialect, true);
      answer.start({ status: 200, contentType: "text/event-stream", retryAfter: undefined });
      answer.push(Buffer.from(write(lead + text + finish)));
      expect(answer.isDone).toBe(false);
      answer.push(Buffer.from(write(stop)));
      expect(answer.isDone).toBe(true);
    });

    test(`${form}: comments, roles and starts commit nothing`, () => {
      const answer = open(dialect, true);
      answer.start({ status: 200, contentType: "text/event-stream", retryAfter: undefined });
      expect(answer.push(Buffer.from(write(lead)))).toBeNull();
      expect(answer.push(Buffer.from(write(": more\n\n")))).toBeNull();
      expect(answer.push(Buffer.from(write(text)))?.toString()).toContain("Once");
    });

    test(`${form}: an event that cannot be read is dropped and counted`, () => {
      const { whole, error, answer } = stream(lead + text + broken + text + finish + stop, 60);
      expect(error).toBeNull();
      expect(whole).not.toContain('"br');
      expect(whole.match(/Once/g)).toHaveLength(2);
      expect(answer.report().badEvents).toBe(1);
    });
  }

  test("an endless line is not collected for ever", () => {
    const { error } = run(open(dialect, true), `${lead + text}data: {"${"x".repeat(11_000_000)}`, "text/event-stream");
    expect(error?.message).toContain("longer than 10 MB");
  });

  test("is read as one under another content type", () => {
    expect(run(open(dialect, true), lead + text + finish + stop, "application/json").sent).toContain("Once");
    expect(statusOf(run(open(dialect, true), data({ error: { code: 429 } }), "application/json").error)).toBe(429);
  });

  test("that broke off is a failure for a caller who asked for none", () => {
    expect(run(open(dialect, false), lead + text, "text/event-stream").error).toBeInstanceOf(AnswerRefused);
  });
});

describe("the last event of a response, which repeats the answer", () => {
  const { lead, text } = responses;
  const long = "x".repeat(200_000);
  const response = {
    id: "r",
    status: "completed",
    output: [{ type: "message", content: [{ type: "output_text", text: long }] }],
  };
  const last = event("response.completed", { response });

  test.each(pieces.slice(1))("reaches the client whole, however long it is (in pieces of %i bytes)", (size) => {
    const { whole, error } = run(passThrough(openaiResponses, true), lead + text + last, "text/event-stream", size);
    expect(error).toBeNull();
    expect(whole).toBe(lead + text + last);
    const rest = "data: [DONE]\n\n";
    expect(run(passThrough(openaiResponses, true), lead + text + last + rest, "", size).whole).toContain(last);
  });

  test("is ended with a blank line where the upstream forgot it", () => {
    const { whole } = run(passThrough(openaiResponses, true), lead + text + last.trimEnd(), "text/event-stream", 4_096);
    expect(whole).toBe(lead + text + last);
  });

  test("counts neither as text nor against the balance", () => {
    const { answer } = run(passThrough(openaiResponses, true), lead + text + last, "text/event-stream");
    expect(answer.report().textBytes()).toBe(4);
    expect(answer.report().sample().countable.texts).toEqual(["Once"]);
    expect(answer.writtenTokens).toBe(2);
  });

  test("that says that it failed is an error with the status that it names", () => {
    const error = { code: "rate_limit_exceeded", message: "no" };
    const failed = event("response.failed", { response: { status: "failed", error } });
    for (const open of [passThrough, translate]) {
      expect(statusOf(run(open(openaiResponses, true), lead + failed, "text/event-stream").error)).toBe(429);
      expect(run(open(openaiResponses, true), lead + text + failed, "text/event-stream", 60).error).toBeInstanceOf(
        AnswerCut,
      );
    }
    const body = JSON.stringify({ object: "response", status: "failed", error, output: [] });
    expect(statusOf(run(passThrough(openaiResponses, false), body, "application/json").error)).toBe(429);
  });

  test("is an answer without text where a limit or a thought used it up", () => {
    const thought = { type: "reasoning", id: "rs", summary: [] };
    const over = event("response.output_item.done", { output_index: 0, item: thought });
    const incomplete = { status: "incomplete", incomplete_details: { reason: "max_output_tokens" }, output: [thought] };
    const end = event("response.incomplete", { response: incomplete });
    for (const open of [passThrough, translate]) {
      const { error, answer } = run(open(openaiResponses, true), over + end, "text/event-stream");
      expect(error).toBeNull();
      expect(answer.report().finishReason?.unified).toBe("length");
    }
  });
});

const bodies: Record<string, [text: string, status: number]> = {
  "a code and a message": ['{"code":500,"message":"no"}', 500],
  "a code in digits": ['{"message":"no","code":"429"}', 429],
  "an object named error": ['{"object":"error","message":"no"}', 502],
  "the type error": ['{"error":{"type":"rate_limit_error","message":"no"},"type":"error"}', 429],
  "an error behind other keys": [
    JSON.stringify({ ...openai.whole, ...anthropic.whole, error: { message: "no" } }),
    502,
  ],
  "no choices": ['{"id":"c","choices":[],"content":[],"usage":{"prompt_tokens":3}}', 502],
  "no keys": ["{}", 502],
  nothing: ["", 500],
  HTML: ["<html><body>Bad Gateway</body></html>", 500],
  "a list": ["[]", 500],
  "half an answer": [JSON.stringify({ ...openai.whole, ...anthropic.whole }).slice(0, -1), 500],
  "half an answer that ends in a brace": ['{"choices":[{"a":{}}', 500],
};

describe.each(sides)("a body of %s", (_name, dialect, words, open) => {
  test.each(Object.entries(bodies))("with %s is a failure", (_what, [text, status]) => {
    expect(statusOf(run(open(dialect, false), text, "application/json").error)).toBe(status);
    expect(statusOf(run(open(dialect, true), text, "application/json").error)).toBe(status);
    const { sent, error } = run(open(dialect, true), text, "text/event-stream; charset=utf-8");
    expect([sent, statusOf(error)]).toEqual(["", text === "" ? "network" : status]);
  });

  test("is an answer, also in place of a stream", () => {
    const text = JSON.stringify(words.whole, null, 1);
    for (const [isStream, type] of [
      [false, "application/json"],
      [false, "text/event-stream"],
      [true, "application/json"],
      [true, "text/event-stream"],
    ] as const) {
      const { whole, error } = run(open(dialect, isStream), text, type);
      expect(error).toBeNull();
      expect(whole).toContain("Once");
    }
  });

  test("is an answer with an error that is null", () => {
    expect(run(open(dialect, false), JSON.stringify({ ...words.whole, error: null }), "").error).toBeNull();
  });
});
