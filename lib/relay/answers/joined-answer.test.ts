import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "@/lib/testing/property-runs";
import type { ChatEvent } from "../wire/canonical/event";
import type { Frame } from "../wire/canonical/machine";
import { dialects } from "../wire/dialects";
import type { Dialect, RenderContext } from "../wire/dialects/dialect";
import { AnswerCut, AnswerRefused } from "./answer";
import { type ContinuationWay, JoinedAnswer } from "./joined-answer";
import { EventReader, renderEvents } from "./server-sent-events";

const all = [...dialects.values()];
const context: RenderContext = { requestId: "r1", model: "m", wantsUsage: true, createdAt: 1 };
const USAGE = {
  promptTokens: 40,
  completionTokens: 9,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  audioPromptTokens: 0,
  audioCompletionTokens: 0,
};

function textEvents(pieces: readonly string[]): ChatEvent[] {
  return pieces.filter((text) => text !== "").map((text) => ({ type: "text-delta", choice: 0, text }));
}

function streamOf({ client }: Dialect, id: string, pieces: readonly string[], isWhole: boolean): Buffer {
  const renderer = client.streamRenderer({ ...context, requestId: id });
  const events: ChatEvent[] = [{ type: "start", id, model: "m" }, ...textEvents(pieces)];
  const end: ChatEvent[] = [
    { type: "finish", choice: 0, reason: { unified: "stop", raw: "stop" } },
    { type: "usage", usage: USAGE },
  ];
  const frames = [...events, ...(isWhole ? end : [])].flatMap((event) => renderer.step(event));
  return renderEvents([...frames, ...renderer.end(isWhole)]);
}

function framesOf(bytes: Buffer): Frame[] {
  const reader = new EventReader();
  return [...reader.push(bytes), ...reader.end()];
}

function decode({ upstream }: Dialect, bytes: Buffer): ChatEvent[] {
  const decoder = upstream.streamDecoder();
  return [...framesOf(bytes).flatMap((frame) => decoder.step(frame)), ...decoder.end(true)];
}

/** The bytes in chunks cut anywhere. */
function chunks(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return at.slice(1).flatMap((end, i) => (end > (at[i] ?? 0) ? [bytes.subarray(at[i], end)] : []));
}

function answerOf(caller: Dialect, upstream: Dialect, delivered: Buffer, way: ContinuationWay): JoinedAnswer {
  const resumed = caller.client.resumeStream(framesOf(delivered), context);
  if (!resumed) throw new Error("not to be continued");
  const { readUsage } = upstream.upstream;
  return new JoinedAnswer({
    upstream: upstream.upstream,
    clientDialect: caller.client,
    context,
    readUsage,
    resumed,
    way,
    isBetweenEvents: true,
  });
}

function feed(answer: JoinedAnswer, parts: readonly Buffer[]): Buffer {
  answer.start({ status: 200, contentType: "text/event-stream", retryAfter: undefined });
  const passed = parts.map((part) => answer.push(part) ?? Buffer.alloc(0));
  const rest = answer.end() ?? Buffer.alloc(0);
  return Buffer.concat([...passed, rest, answer.ending()]);
}

const letters = fc.string({
  unit: fc.oneof(fc.constantFrom("\ud83c", "\udf0a", '"', "\\", "\n", " "), fc.string({ minLength: 1, maxLength: 3 })),
  minLength: 1,
  maxLength: 40,
});
const cutsOf = fc.array(fc.nat(4_000), { maxLength: 12 });
const story = fc.record({ text: letters, at: fc.nat(), cuts: cutsOf, spots: fc.array(fc.nat(), { maxLength: 6 }) });

function split(text: string, spots: readonly number[]): string[] {
  const at = [0, ...spots.map((spot) => spot % (text.length + 1)).sort((a, b) => a - b), text.length];
  return at.slice(1).map((end, i) => text.slice(at[i], end));
}

const pairs = all.flatMap((caller) => all.map((upstream) => [caller.id, upstream.id, { caller, upstream }] as const));

describe.each(pairs)(
  "a stream to a caller of %s that an upstream of %s goes on with",
  (_caller, _upstream, { caller, upstream }) => {
    const expectOne = (delivered: Buffer, joined: Buffer, text: string) => {
      const events = decode(caller, Buffer.concat([delivered, joined]));
      const said = events.map((event) => (event.type === "text-delta" ? event.text : "")).join("");
      expect(said).toBe(text);
      const count = (type: string) => events.filter((event) => event.type === type).length;
      expect([count("start"), count("finish"), count("usage"), count("end")]).toEqual([1, 1, 1, 1]);
      const kinds = framesOf(Buffer.concat([delivered, joined])).map(({ event, data }) => `${event} ${data}`);
      // Google's streams have no start; every frame names the role.
      if (caller.id === "gemini-generate-content") return;
      const begins = /^null .*"role":|^content_block_start |^response\.content_part\.added /s;
      expect(kinds.filter((kind) => begins.test(kind))).toHaveLength(1);
    };

    test("is one stream, wherever the first is cut and however the second arrives (issue 12)", () => {
      fc.assert(
        fc.property(story, ({ text, at, cuts, spots }) => {
          const said = text.slice(0, 1 + (at % text.length));
          const delivered = streamOf(caller, "first", [said], false);
          const second = streamOf(upstream, "second", split(text, spots), true);
          const answer = answerOf(caller, upstream, delivered, { type: "repeat" });
          expectOne(delivered, feed(answer, chunks(second, cuts)), text);
          expect(answer.report()).toMatchObject({ usage: USAGE, isComplete: true });
          expect(answer.report().sample().countable.texts.join("")).toBe(text);
        }),
        propertyRuns(150),
      );
    });

    test("is one stream where it was given its beginning, said again or not (issue 12)", () => {
      fc.assert(
        fc.property(story, fc.boolean(), ({ text, cuts, spots }, isEcho) => {
          const given = "Once upon a time there was a river";
          const delivered = streamOf(caller, "first", [given], false);
          const second = streamOf(upstream, "second", split((isEcho ? given : "") + text, spots), true);
          const answer = answerOf(caller, upstream, delivered, { type: "prefill", given, tokens: 8, echoes: true });
          expectOne(delivered, feed(answer, chunks(second, cuts)), given + text);
          expect(answer.report().usage).toMatchObject({ promptTokens: 32, completionTokens: 17 });
        }),
        propertyRuns(100),
      );
    });

    test("passes on nothing of an answer in other words, or of one that breaks off too (issue 12)", () => {
      fc.assert(
        fc.property(story, ({ text, cuts, spots }) => {
          const delivered = streamOf(caller, "first", [`${text}!`], false);
          const other = answerOf(caller, upstream, delivered, { type: "repeat" });
          const whole = streamOf(upstream, "second", split(`${text}?`, spots), true);
          expect(() => feed(other, chunks(whole, cuts))).toThrow(AnswerRefused);
          const short = answerOf(caller, upstream, delivered, { type: "repeat" });
          const cut = streamOf(upstream, "second", split(text, spots), false);
          expect(() => feed(short, chunks(cut, cuts))).toThrow(AnswerCut);
          expect(other.report().sample().countable.texts.join("")).toBe(`${text}!`);
        }),
        propertyRuns(60),
      );
    });
  },
);
