import { describe, expect, test } from "vitest";
import { collectEvents } from "../../../testing/collect-events";
import { readChunksFixture, readJsonFixture } from "../../../testing/dialect-fixtures";
import type { ChatEvent } from "../canonical/event";
import { type Json, readArray, readObject } from "../canonical/json";
import type { Frame } from "../canonical/machine";
import { dialects } from ".";
import type { Dialect, RenderContext } from "./dialect";

const context: RenderContext = { requestId: "r1", model: "m", wantsUsage: true, createdAt: 1 };
const all = [...dialects.values()];
/** What the fixtures say, with the stretches that have a source. */
const TEXT = "Grüße! Bern liegt an der Aare. 🌊 Sie ist kalt.";
const STRETCHES = ["Bern liegt an der Aare.", "Sie ist kalt."];

function decodeFrames({ upstream }: Dialect, frames: readonly Frame[]): ChatEvent[] {
  const decoder = upstream.streamDecoder();
  return [...frames.flatMap((frame) => decoder.step(frame)), ...decoder.end(true)];
}

function dialect(id: string): Dialect {
  const found = dialects.get(id);
  if (!found) throw new Error(`no dialect ${id}`);
  return found;
}

describe.each(all.map((one) => [one.id, one] as const))("citations of %s", (id, upstream) => {
  test("are about the words that have a source, streamed and not", () => {
    const streamed = collectEvents(decodeFrames(upstream, readChunksFixture(id, "citations"))).response;
    const whole = upstream.upstream.decode(readJsonFixture(id, "citations.answer"));
    for (const answer of [streamed, whole]) {
      const [part] = (answer?.choices[0]?.content ?? []).filter(({ type }) => type === "text");
      if (part?.type !== "text") throw new Error("no text");
      expect(part.text).toBe(TEXT);
      expect(part.citations?.map(({ start, end }) => TEXT.slice(start, end))).toEqual(STRETCHES);
      expect(part.citations?.map(({ url }) => url)).toEqual(["https://weir.example/bern", "https://weir.example/aare"]);
    }
  });

  test.each(all.filter((one) => one.id !== "anthropic-messages").map((one) => [one.id, one] as const))(
    "keep their places for a caller of %s",
    (_caller, caller) => {
      const events = decodeFrames(upstream, readChunksFixture(id, "citations"));
      const renderer = caller.client.streamRenderer(context);
      const frames = [...events.flatMap((event) => renderer.step(event)), ...renderer.end(true)];
      const streamed = collectEvents(decodeFrames(caller, frames)).response;
      const whole = caller.upstream.decode(caller.client.renderResponse(streamed, context));
      for (const answer of [streamed, whole]) {
        const [part] = (answer?.choices[0]?.content ?? []).filter(({ type }) => type === "text");
        const places = part?.type === "text" ? part.citations : undefined;
        expect(places?.map(({ start, end }) => TEXT.slice(start, end))).toEqual(STRETCHES);
      }
    },
  );

  test("end the hope that another upstream goes on with the stream", () => {
    const delivered = readChunksFixture(id, "citations").slice(0, -2);
    const hasSources = delivered.some(({ data }) => /"url_citation"|"citations_delta"|"groundingMetadata"/.test(data));
    if (hasSources) expect(upstream.client.resumeStream(delivered, context)).toBeNull();
  });
});

test("a list of sources beside the choices is about the whole text, and is told once", () => {
  const chat = dialect("openai-chat");
  const frame = (delta: Json, more: Json = {}): Frame => ({
    event: null,
    data: JSON.stringify({ id: "x", citations: ["https://weir.example/1"], choices: [{ index: 0, delta, ...more }] }),
  });
  const events = decodeFrames(chat, [
    frame({ content: "One " }),
    frame({ content: "two[1]" }, { finish_reason: "stop" }),
  ]);
  expect(events.filter(({ type }) => type === "citation")).toEqual([
    { type: "citation", choice: 0, citation: { start: 0, end: 10, url: "https://weir.example/1" } },
  ]);
  expect(events.findIndex(({ type }) => type === "citation")).toBeLessThan(
    events.findIndex(({ type }) => type === "finish"),
  );
  expect(chat.client.resumeStream([frame({ content: "One " })], context)).toBeNull();
});

test("many sources take no longer than their number, wherever they claim to be", () => {
  const gemini = dialect("gemini-generate-content");
  const groundingSupports = Array.from({ length: 20_000 }, (_, i) => ({
    segment: { startIndex: i * 7, endIndex: 1_000_000_000 - i },
    groundingChunkIndices: [0, 1],
  }));
  const groundingChunks = [
    { web: { uri: "https://weir.example/1" } },
    { retrievedContext: { title: "t", text: "x".repeat(100_000) } },
  ];
  const groundingMetadata = { groundingChunks, groundingSupports };
  const parts = [{ text: "ü🌊".repeat(50_000) }];
  const started = process.cpuUsage().user;
  const answer = gemini.upstream.decode({
    candidates: [{ content: { parts }, finishReason: "STOP", groundingMetadata }],
  });
  if (!answer) throw new Error("no answer");
  for (const { client } of all) JSON.stringify(client.renderResponse(answer, context));
  expect((process.cpuUsage().user - started) / 1_000).toBeLessThan(1_500);
});

test("searches come as the blocks that Anthropic's callers know, each in a block of its own", () => {
  const gemini = dialect("gemini-generate-content");
  const { client } = dialect("anthropic-messages");
  const events = decodeFrames(gemini, readChunksFixture(gemini.id, "citations"));
  const renderer = client.streamRenderer(context);
  const frames = [...events.flatMap((event) => renderer.step(event)), ...renderer.end(true)];
  let open = false;
  const blocks: unknown[] = [];
  for (const { data } of frames) {
    const { type, index, content_block: block } = JSON.parse(data) as Json;
    if (type === "content_block_start") {
      expect([open, index]).toEqual([false, blocks.length]);
      blocks.push(readObject(block).type);
      open = true;
    }
    if (type === "content_block_stop") open = false;
  }
  expect(blocks).toEqual(["text", "server_tool_use", "web_search_tool_result"]);
  const usage = frames.map(({ data }) => readObject(readObject(JSON.parse(data)).usage).server_tool_use);
  expect(usage.find((count) => count !== undefined)).toEqual({ web_search_requests: 1, web_fetch_requests: 0 });
});

test("citations in history reach upstreams that take them back, counted from each part", () => {
  const messages = [
    { role: "user", content: "?" },
    {
      role: "assistant",
      content: [
        { type: "text", text: "Well, " },
        {
          type: "text",
          text: "it is so.",
          citations: [{ type: "web_search_result_location", url: "https://weir.example/1", title: "One" }],
        },
        { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "x" } },
        { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] },
      ],
    },
    { role: "user", content: "And?" },
  ];
  const asked = dialect("anthropic-messages").client.decode({ model: "m", max_tokens: 9, messages }, "");
  const target = { model: "m", canReportStreamUsage: true, systemPrompt: { text: "", isForced: false } };
  const { input } = dialect("openai-responses").upstream.encode(asked, target);
  const url = "https://weir.example/1";
  expect(readArray(input)[1]).toEqual({
    role: "assistant",
    content: [
      { type: "output_text", text: "Well, " },
      {
        type: "output_text",
        text: "it is so.",
        annotations: [{ type: "url_citation", start_index: 0, end_index: 9, url, title: "One" }],
      },
    ],
  });
  for (const { upstream } of all) expect(JSON.stringify(upstream.encode(asked, target))).not.toContain("srvtoolu_1");
});
