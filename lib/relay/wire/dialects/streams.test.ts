import { describe, expect, test } from "vitest";
import { collectEvents } from "../../../testing/collect-events";
import type { ChatEvent } from "../canonical/event";
import type { Json } from "../canonical/json";
import { anthropicMessages } from "./anthropic-messages";
import type { RenderContext } from "./dialect";
import { openaiChat } from "./openai-chat";

const context: RenderContext = { requestId: "r1", model: "m", wantsUsage: false, createdAt: 1 };

describe("frames of upstreams that keep loosely to OpenAI's format", () => {
  function decode(...deltas: Json[]) {
    const decoder = openaiChat.upstream.streamDecoder();
    const frames = deltas.map((delta) => ({ event: null, data: JSON.stringify({ choices: [{ index: 0, delta }] }) }));
    return collectEvents(frames.flatMap((frame) => decoder.step(frame))).response.choices[0]?.content;
  }
  const call = (rest: Json, fn: Json) => ({ tool_calls: [{ ...rest, function: fn }] });
  const both = [
    { type: "tool-call", id: "a", name: "f", arguments: '{"x":1}' },
    { type: "tool-call", id: "b", name: "g", arguments: "{}" },
  ];

  test("calls without an index are told apart by their ids", () => {
    expect(
      decode(
        call({ id: "a" }, { name: "f", arguments: '{"x"' }),
        call({}, { arguments: ":1}" }),
        call({ id: "b" }, { name: "g", arguments: "{}" }),
      ),
    ).toEqual(both);
  });

  test("calls that all have the same index are told apart by their ids", () => {
    expect(
      decode(
        call({ index: 0, id: "a" }, { name: "f", arguments: '{"x":1}' }),
        call({ index: 0, id: "b" }, { name: "g", arguments: "{}" }),
      ),
    ).toEqual(both);
  });

  test("calls that are written side by side stay apart, and a name may come late", () => {
    expect(
      decode(
        call({ index: 0, id: "a" }, { arguments: '{"x"' }),
        call({ index: 1, id: "b" }, { name: "g", arguments: "{" }),
        call({ index: 0 }, { name: "f", arguments: ":1}" }),
        call({ index: 1 }, { arguments: "}" }),
      )?.toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b))),
    ).toEqual(both);
  });

  test("a call without an id gets one, and arguments may be an object", () => {
    expect(decode(call({ index: 0 }, { name: "f", arguments: { x: 1 } }))).toEqual([
      { type: "tool-call", id: "call__0_0", name: "f", arguments: '{"x":1}' },
    ]);
  });

  test("content may be a list of parts, thinking among them", () => {
    const thinking = { type: "thinking", thinking: [{ type: "text", text: "hm" }] };
    expect(decode({ content: [thinking, { type: "text", text: "yes" }] })).toEqual([
      { type: "thinking", text: "hm" },
      { type: "text", text: "yes" },
    ]);
  });

  test("usage is read in the upstream's own way where it has one", () => {
    const own = openaiChat.upstream.streamDecoder((value) => {
      const usage = openaiChat.upstream.readUsage(value);
      return usage && { ...usage, completionTokens: 99 };
    });
    const data = JSON.stringify({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } });
    expect(own.step({ event: null, data }).at(-1)).toMatchObject({ usage: { completionTokens: 99 } });
  });
});

describe("a message's stream", () => {
  const start: ChatEvent = { type: "start", id: "x", model: "upstream-model" };
  const call = (index: number): ChatEvent => ({
    type: "tool-call-start",
    choice: 0,
    index,
    id: `id${index}`,
    name: `f${index}`,
  });
  const values = (index: number, text: string): ChatEvent => ({
    type: "tool-call-delta",
    choice: 0,
    index,
    arguments: text,
  });

  function render(...events: ChatEvent[]): Json[] {
    const renderer = anthropicMessages.client.streamRenderer(context);
    const frames = [...events.flatMap((event) => renderer.step(event)), ...renderer.end(true)];
    return frames.map(({ event, data }) => {
      const json = JSON.parse(data) as Json;
      expect(json.type).toBe(event);
      return json;
    });
  }

  test("has its blocks one after another, however calls are written", () => {
    const frames = render(
      start,
      { type: "thinking-delta", choice: 0, text: "hm" },
      { type: "text-delta", choice: 0, text: "see" },
      ...[call(0), values(0, '{"a"'), call(1), values(1, "{"), values(0, ":1}"), values(1, "}"), call(2)],
      { type: "finish", choice: 0, reason: { unified: "tool-calls", raw: "tool_calls" } },
    );
    let open: unknown = null;
    const blocks: string[] = [];
    for (const { type, index, content_block: block, delta } of frames) {
      if (type === "content_block_start") {
        expect(open).toBeNull();
        expect(index).toBe(blocks.length);
        open = index;
        blocks.push(`${(block as Json).type}:`);
      }
      if (type === "content_block_delta") {
        expect(index).toBe(open);
        const { text, thinking, partial_json: json } = delta as Json;
        blocks.push(`${blocks.pop()}${text ?? thinking ?? json}`);
      }
      if (type === "content_block_stop") {
        expect(index).toBe(open);
        open = null;
      }
    }
    expect(blocks).toEqual(["thinking:hm", "text:see", 'tool_use:{"a":1}', "tool_use:{}", "tool_use:"]);
    expect(frames.at(0)).toMatchObject({ message: { id: "msg_x", model: "m" } });
    expect(frames.at(-2)).toMatchObject({ delta: { stop_reason: "tool_use" }, usage: { output_tokens: null } });
    expect(frames.at(-1)).toEqual({ type: "message_stop" });
  });

  test("the second of two calls is written at once when the first is whole", () => {
    const renderer = anthropicMessages.client.streamRenderer(context);
    for (const event of [start, call(0), values(0, "{}")]) renderer.step(event);
    expect(renderer.step(call(1)).map(({ event }) => event)).toEqual(["content_block_stop", "content_block_start"]);
  });
});
