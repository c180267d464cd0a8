import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { collectEvents } from "../../../testing/collect-events";
import { listDialectFiles, readChunksFixture } from "../../../testing/dialect-fixtures";
import { propertyRuns } from "../../../testing/property-runs";
import type { ChatEvent } from "../canonical/event";
import type { Json } from "../canonical/json";
import type { Frame } from "../canonical/machine";
import { InvalidRequest } from "../canonical/wire-error";
import { dialects, upstreamsOnly } from ".";
import type { Dialect, RenderContext, UpstreamOnly } from "./dialect";

const all = [...dialects.values()];
const upstreams = [...all, ...upstreamsOnly.values()];
const context: RenderContext = { requestId: "r1", model: "m", wantsUsage: true, createdAt: 1 };
const recorded = [
  "text",
  "parallel-tools",
  "thinking",
  "thinking-signature",
  "redacted-thinking",
  "error",
  "cut",
  "citations",
  "logprobs",
];

/** Recorded frames in any order, some truncated, some with a field of another type, mixed with random frames. */
function anyFrames({ id }: Pick<Dialect, "id">): fc.Arbitrary<Frame[]> {
  const present = listDialectFiles(id, "__fixtures__");
  const names = recorded.filter((name) => present.includes(`${name}.chunks.txt`));
  const real = fc.constantFrom(...names.flatMap((name) => readChunksFixture(id, name)));
  const cut = fc.tuple(real, fc.nat(400)).map(([frame, at]) => ({ ...frame, data: frame.data.slice(0, at) }));
  const odd = fc.tuple(real, fc.nat(30), fc.jsonValue()).map(([frame, at, value]) => ({
    ...frame,
    data: withOddValue(frame.data, at, value),
  }));
  const nonsense = fc.record({
    event: fc.option(fc.string()),
    data: fc.oneof(fc.string(), fc.json()),
  });
  return fc.array(fc.oneof({ weight: 6, arbitrary: real }, cut, odd, nonsense), { maxLength: 40 });
}

function withOddValue(data: string, at: number, value: unknown): string {
  let count = 0;
  try {
    return JSON.stringify(JSON.parse(data, (_key, field: unknown) => (count++ === at ? value : field)));
  } catch {
    return data;
  }
}

function decodeFrames({ upstream }: Dialect | UpstreamOnly, frames: readonly Frame[], isClean: boolean): ChatEvent[] {
  const decoder = upstream.streamDecoder();
  return [...frames.flatMap((frame) => decoder.step(frame)), ...decoder.end(isClean)];
}

/** Text and thinking of the first choice. Refusals count as text, because not every dialect has them. */
function words(events: readonly ChatEvent[]): { text: string; thinking: string } {
  const said = { text: "", thinking: "" };
  for (const event of events) {
    if ((event.type === "text-delta" || event.type === "refusal-delta") && event.choice === 0) said.text += event.text;
    if (event.type === "thinking-delta" && event.choice === 0) said.thinking += event.text;
  }
  return said;
}

const runs = propertyRuns(150);

describe.each(upstreams.map((dialect) => [dialect.id, dialect] as const))(
  "frames of %s, broken in any way",
  (_id, dialect) => {
    test("never make a machine throw, lose or invent a word, or end a cut stream as a whole one", () => {
      fc.assert(
        fc.property(anyFrames(dialect), fc.boolean(), (frames, isClean) => {
          const events = decodeFrames(dialect, frames, isClean);
          for (const caller of all) {
            const renderer = caller.client.streamRenderer(context);
            const body = events.flatMap((event) => renderer.step(event));
            const end = renderer.end(isClean);
            const hasFailed = events.some(({ type }) => type === "error");
            if (!isClean || hasFailed) expect(end).toEqual([]);
            const again = decodeFrames(caller, [...body, ...end], isClean);
            expect(words(again)).toEqual(words(events));
            expect(collectEvents(again).hasEnded).toBe(isClean && !hasFailed);
          }
        }),
        runs,
      );
    });
  },
);

describe.each(all.map((dialect) => [dialect.id, dialect] as const))(
  "an answer that ended, in the words of %s",
  (_id, dialect) => {
    const reasons = ["stop", "length", "tool-calls", "content-filter", "other"] as const;

    test.each(reasons)("is read as whole again, whatever it ended by: %s", (unified) => {
      const renderer = dialect.client.streamRenderer(context);
      const events: ChatEvent[] = [
        { type: "start", id: "a", model: "m" },
        { type: "text-delta", choice: 0, text: "All is well." },
        { type: "finish", choice: 0, reason: { unified, raw: "a word of tomorrow" } },
        { type: "end" },
      ];
      const frames = [...events.flatMap((event) => renderer.step(event)), ...renderer.end(true)];
      const { hasEnded, error, response } = collectEvents(decodeFrames(dialect, frames, true));
      expect([hasEnded, error]).toEqual([true, null]);
      const whole = JSON.parse(JSON.stringify(dialect.client.renderResponse(response, context))) as Json;
      expect([dialect.upstream.passThrough.hasAnswer(whole), dialect.upstream.passThrough.hasFailed(whole)]).toEqual([
        true,
        false,
      ]);
    });
  },
);

describe.each(all.map((dialect) => [dialect.id, dialect] as const))(
  "passing frames of %s, broken in any way",
  (_id, dialect) => {
    test("never make the scan of a passing stream throw", () => {
      fc.assert(
        fc.property(anyFrames(dialect), (frames) => {
          const { passThrough, readUsage } = dialect.upstream;
          const reader = passThrough.frameReader({ withholdUsage: true, readUsage });
          for (const frame of frames) reader.read(frame);
          reader.usage();
          reader.finishReason();
        }),
        runs,
      );
    });
  },
);

const anyItem = fc.record(
  {
    type: fc.constantFrom("message", "reasoning", "function_call", "custom_tool_call", "function_call_output", "x"),
    role: fc.constantFrom("user", "assistant", "system", "tool"),
    ...{ content: fc.jsonValue(), summary: fc.jsonValue(), output: fc.jsonValue(), encrypted_content: fc.jsonValue() },
    ...{ call_id: fc.string(), name: fc.string(), arguments: fc.jsonValue(), input: fc.jsonValue() },
  },
  { requiredKeys: [] },
);

describe.each(all.map((dialect) => [dialect.id, dialect] as const))("any JSON as %s", (_id, { client, upstream }) => {
  const json = fc.dictionary(fc.string(), fc.jsonValue());

  test("is an answer or none, and never throws", () => {
    const keys = fc.record(
      {
        ...{ choices: fc.jsonValue(), candidates: fc.jsonValue(), content: fc.jsonValue(), output: fc.array(anyItem) },
        ...{ usage: fc.jsonValue(), id: fc.jsonValue(), status: fc.constantFrom("completed", "incomplete") },
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(json, keys), (value) => {
        const answer = upstream.decode(value);
        if (answer) for (const { client: any } of all) any.renderResponse(answer, context);
        upstream.answerTexts(value);
        upstream.frameTexts(value);
        upstream.readUsage(value);
        upstream.passThrough.hasAnswer(value);
        upstream.passThrough.hasFailed(value);
      }),
      runs,
    );
  });

  test("is a request or refused, and reading its texts and pictures never throws", () => {
    const message = fc.record(
      {
        role: fc.constantFrom("user", "assistant", "system", "tool"),
        content: fc.jsonValue(),
        tool_calls: fc.jsonValue(),
      },
      { requiredKeys: ["role"] },
    );
    const request = fc.record(
      { model: fc.constant("m"), max_tokens: fc.constant(5), messages: fc.array(message), tools: fc.jsonValue() },
      { requiredKeys: ["model", "messages"] },
    );
    const items = fc.record(
      {
        model: fc.constant("m"),
        input: fc.array(anyItem, { minLength: 1 }),
        tools: fc.jsonValue(),
        text: fc.jsonValue(),
      },
      { requiredKeys: ["model", "input"] },
    );
    const part = fc.record(
      {
        text: fc.oneof(fc.string(), fc.jsonValue()),
        thought: fc.boolean(),
        thoughtSignature: fc.string(),
        functionCall: fc.oneof(fc.record({ name: fc.constant("f"), args: fc.jsonValue() }), fc.jsonValue()),
        function_response: fc.oneof(fc.record({ name: fc.constant("f"), response: fc.jsonValue() }), fc.jsonValue()),
        inlineData: fc.oneof(
          fc.record({ mime_type: fc.constantFrom("image/png", "audio/wav"), data: fc.string() }),
          fc.jsonValue(),
        ),
      },
      { requiredKeys: [] },
    );
    const content = fc.record({
      role: fc.constantFrom("user", "model"),
      parts: fc.oneof(fc.array(part), fc.jsonValue()),
    });
    const config = fc.dictionary(fc.constantFrom("thinkingConfig", "responseSchema", "topK"), fc.jsonValue());
    const ofGoogle = fc.record(
      {
        contents: fc.array(content),
        generationConfig: config,
        systemInstruction: fc.jsonValue(),
        tools: fc.jsonValue(),
      },
      { requiredKeys: ["contents"] },
    );
    fc.assert(
      fc.property(fc.oneof(json, request, items, ofGoogle), (value) => {
        client.promptTexts(value);
        [...client.promptWords(value)].join("");
        upstream.imageUrls(value);
        upstream.withImages(value, new Map());
        try {
          const asked = client.decode(value, "/v1beta/models/m:generateContent");
          const target = { model: "m", canReportStreamUsage: true, systemPrompt: { text: "x", isForced: true } };
          for (const other of all) other.upstream.encode(asked, target);
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidRequest);
        }
      }),
      runs,
    );
  });
});
