import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { readChunksFixture } from "../../../../testing/dialect-fixtures";
import { renderEvents } from "../../../answers/server-sent-events";
import type { ChatEvent } from "../../canonical/event";
import { dialects } from "..";
import { openaiResponses } from ".";

const { client } = openaiResponses;
const context = { requestId: "r1", model: "m", wantsUsage: true, createdAt: 1 };

/** The client of OpenAI's, whose requests are all answered with this stream. */
function clientOf(stream: Buffer): OpenAI {
  const fetch = async () => new Response(new Uint8Array(stream), { headers: { "content-type": "text/event-stream" } });
  return new OpenAI({ apiKey: "sk-x", baseURL: "http://weir.invalid/v1", maxRetries: 0, fetch });
}

function streamOf(id: string, name: string): Buffer {
  const decoder = dialects.get(id)?.upstream.streamDecoder();
  const events: ChatEvent[] = readChunksFixture(id, name).flatMap((frame) => decoder?.step(frame) ?? []);
  const renderer = client.streamRenderer(context);
  const frames = [...events.flatMap((event) => renderer.step(event)), ...renderer.end(name !== "error")];
  return renderEvents(frames);
}

describe.each([...dialects.keys()])("OpenAI's own client, served by an upstream of %s", (id) => {
  const read = (name: string) => clientOf(streamOf(id, name)).responses.stream({ model: "m", input: "x" });

  test("reads text, thoughts and calls", async () => {
    const text = await read("text").finalResponse();
    expect([text.output_text, text.status]).toEqual(["Grüße aus Bern! 🌊", "completed"]);
    expect(text.usage?.total_tokens).toBe((text.usage?.input_tokens ?? 0) + (text.usage?.output_tokens ?? 0));
    const thought = await read("thinking").finalResponse();
    expect(thought.output.map(({ type }) => type)).toEqual(["reasoning", "message"]);
    const calls = await read("parallel-tools").finalResponse();
    expect(calls.output.filter(({ type }) => type === "function_call")).toMatchObject([
      { name: "get_weather", arguments: '{"city":"Bern","unit":"c"}' },
      { name: "get_time", arguments: '{"zone":"Europe/Zurich"}' },
    ]);
  });

  test("throws for an error in the stream", async () => {
    await expect(read("error").finalResponse()).rejects.toThrow(/request id: r1/);
  });
});
