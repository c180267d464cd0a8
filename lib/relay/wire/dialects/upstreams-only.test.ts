import { describe, expect, test } from "vitest";
import { collectEvents } from "../../../testing/collect-events";
import { listDialectFiles, readAbsent, readChunksFixture, readJsonFixture } from "../../../testing/dialect-fixtures";
import { upstreamSchemas } from "../../../testing/upstream-schemas";
import type { ChatEvent } from "../canonical/event";
import type { Json } from "../canonical/json";
import type { Frame } from "../canonical/machine";
import { InvalidRequest } from "../canonical/wire-error";
import { dialects, upstreamsOnly } from ".";
import type { RenderContext, UpstreamFormat, UpstreamTarget } from "./dialect";

const formats = [...upstreamsOnly.values()].map((format) => [format.id, format] as const);
const callers = [...dialects.values()];
const context: RenderContext = { requestId: "r1", model: "m", wantsUsage: true, createdAt: 1_741_569_952 };
const path = "/v1beta/models/m:generateContent";
const usual: UpstreamTarget = {
  model: "m",
  canReportStreamUsage: true,
  systemPrompt: { text: "", isForced: false },
};

const files = ["index.ts", "limits.ts"];
const answers = ["text", "parallel-tools", "thinking", "thinking-signature", "redacted-thinking", "usage-cache"];
const requests = ["text", "stop", "tools", "tool-results", "images", "thinking", "json-schema"];

function decodeFrames(upstream: UpstreamFormat, frames: readonly Frame[], isClean = true): ChatEvent[] {
  const decoder = upstream.streamDecoder();
  return [...frames.flatMap((frame) => decoder.step(frame)), ...decoder.end(isClean)];
}

/** The request as it is when its files have been uploaded. */
function withFiles({ uploads }: UpstreamFormat, json: Json): Json {
  if (!uploads) return json;
  const ids = uploads.pending(json).map((url) => [url, "72fa9618-8f89-4a37-9b33-7e1178a24a67"] as const);
  return uploads.withIds(json, new Map(ids));
}

/** The channel's extra field, where the format needs it. */
const OTHER: Readonly<Record<string, string>> = {
  coze: "7379462189365198898",
  "ai-proxy-library": "7379462189365198898",
};

describe.each(formats)("upstreams of %s", (id, { upstream }) => {
  const target: UpstreamTarget = { ...usual, other: OTHER[id] ?? "" };
  const absent = readAbsent(id);
  const present = answers.filter((name) => absent.answers?.[name] === undefined);

  test("have the files and fixtures that every such format has", () => {
    expect(listDialectFiles(id)).toEqual(expect.arrayContaining(files));
    const whole = upstream.alwaysStreams ? [] : [...present, "error"].map((name) => `${name}.answer.json`);
    const streamed = [...present, "error", "cut"].map((name) => `${name}.chunks.txt`);
    expect(listDialectFiles(id, "__fixtures__")).toEqual(expect.arrayContaining([...whole, ...streamed]));
    expect(present).toContain("text");
    expect(upstreamSchemas.has(id)).toBe(true);
  });

  test.each(present)("say %s the same streamed and not, with usage and an end", (name) => {
    const streamed = collectEvents(decodeFrames(upstream, readChunksFixture(id, name)));
    expect([streamed.error, streamed.hasEnded]).toEqual([null, true]);
    expect(streamed.response.choices[0]?.finishReason.raw).not.toBe("");
    if (upstream.alwaysStreams) return;
    const whole = readJsonFixture(id, `${name}.answer`);
    expect([upstream.wholeBody.hasFailed(whole), upstream.wholeBody.hasAnswer(whole)]).toEqual([false, true]);
    expect(upstream.decode(whole)).toEqual(streamed.response);
  });

  test("an error is one, as a body and in the stream", () => {
    const { error, hasEnded } = collectEvents(decodeFrames(upstream, readChunksFixture(id, "error")));
    expect(error?.message).not.toBe("");
    expect([error === null, hasEnded]).toEqual([false, false]);
    if (!upstream.alwaysStreams) expect(upstream.wholeBody.hasFailed(readJsonFixture(id, "error.answer"))).toBe(true);
  });

  test("a stream that is cut has no end and no finish reason", () => {
    const { response, hasEnded } = collectEvents(decodeFrames(upstream, readChunksFixture(id, "cut"), false));
    expect(response.choices[0]?.content).toEqual([{ type: "text", text: "Once upon a ti" }]);
    expect([hasEnded, response.choices[0]?.finishReason.raw]).toEqual([false, ""]);
  });

  describe.each(callers.map((caller) => [caller.id, caller] as const))("for callers of %s", (_caller, caller) => {
    test.each(requests)("the request %s is what the provider accepts, or is refused with a reason", (name) => {
      const fixture = name === "stop" ? "text" : name;
      const { stop: _, ...asked } = caller.client.decode(readJsonFixture(caller.id, `${fixture}.request`), path);
      const encode = () => upstream.encode(name === "stop" ? { ...asked, stop: ["END"] } : asked, target);
      if (absent.requests?.[name] !== undefined) expect(encode).toThrow(InvalidRequest);
      else expect(upstreamSchemas.get(id)?.safeParse(withFiles(upstream, encode())).error).toBeUndefined();
    });

    test.each(present)("the answer %s comes whole", (name) => {
      const events = decodeFrames(upstream, readChunksFixture(id, name));
      const renderer = caller.client.streamRenderer(context);
      const frames = [...events.flatMap((event) => renderer.step(event)), ...renderer.end(true)];
      const again = collectEvents(decodeFrames(caller.upstream, frames));
      const { response } = collectEvents(events);
      const texts = (given: typeof response) => given.choices[0]?.content.filter(({ type }) => type === "text");
      expect(texts(again.response)).toEqual(texts(response));
      expect([again.error, again.hasEnded]).toEqual([null, true]);
      expect(again.response.choices[0]?.finishReason.unified).toBe(response.choices[0]?.finishReason.unified);
      expect(again.response.usage?.completionTokens).toBe(response.usage?.completionTokens);
    });
  });
});

test("no format has two names", () => {
  expect(formats.filter(([id]) => dialects.has(id))).toEqual([]);
});
