import { describe, expect, test } from "vitest";
import { collectEvents } from "../../../../testing/collect-events";
import { readChunksFixture, readJsonFixture } from "../../../../testing/dialect-fixtures";
import { difyRequest } from "../../../../testing/upstream-schemas/dify";
import type { ChatRequest, Message } from "../../canonical/request";
import { InvalidRequest } from "../../canonical/wire-error";
import { dify } from ".";

const { upstream } = dify;
const target = { model: "m", canReportStreamUsage: false, systemPrompt: { text: "", isForced: false } };
const says = (role: "user" | "assistant" | "system", text: string): Message => ({
  role,
  content: [{ type: "text", text }],
});

function encode(more: Partial<ChatRequest>) {
  return upstream.encode({ model: "m", messages: [says("user", "hi")], isStream: false, ...more }, target);
}

const decoded = (...events: object[]) => {
  const decoder = upstream.streamDecoder();
  return collectEvents(events.flatMap((json) => decoder.step({ event: null, data: JSON.stringify(json) })));
};

describe("requests", () => {
  test("a single message is the query as it is; a conversation is one text with the sides' names", () => {
    expect(encode({})).toMatchObject({ query: "hi", inputs: {}, response_mode: "streaming", user: "anonymous" });
    const messages = [says("system", "Be kind."), says("user", "hi"), says("assistant", "Hello!"), says("user", "Bye")];
    const body = encode({ messages, user: "ada" });
    expect(body).toMatchObject({
      query: "SYSTEM:\nBe kind.\n\nUSER:\nhi\n\nASSISTANT:\nHello!\n\nUSER:\nBye",
      user: "ada",
    });
    expect(difyRequest.safeParse(body).error).toBeUndefined();
  });

  test("JSON is asked for in words, and there is always a query", () => {
    const schema = { type: "object", properties: { answer: { type: "integer" } } };
    const body = encode({ responseFormat: { type: "json-schema", name: "response", schema } });
    expect(body.query).toContain(JSON.stringify(schema));
    expect(body.query).toContain("USER:\nhi");
    expect(encode({ messages: [{ role: "user", content: [] }] }).query).toBe("...");
  });

  test("pictures, sound and files become files of the query, to be uploaded or by their address", () => {
    const messages: Message[] = [
      {
        role: "user",
        content: [
          { type: "image", source: { type: "base64", mediaType: "image/png", data: "aQ==" } },
          { type: "image", source: { type: "url", url: "https://weir.example/a.png" } },
          { type: "audio", format: "mp3", data: "cw==" },
          { type: "file", name: "a b.pdf", source: { type: "base64", mediaType: "application/pdf", data: "cA==" } },
          { type: "file", source: { type: "url", url: "https://weir.example/b.pdf" } },
          { type: "file", name: "n", source: { type: "text", text: "notes" } },
        ],
      },
    ];
    const body = encode({ messages });
    expect(body.query).toContain("notes");
    const pending = upstream.uploads?.pending(body) ?? [];
    expect(pending).toEqual([
      "data:image/png;base64,aQ==",
      "data:audio/mpeg;base64,cw==",
      "data:application/pdf;name=a%20b.pdf;base64,cA==",
    ]);
    const ids = pending.map((url, at) => [url, `72fa9618-8f89-4a37-9b33-7e1178a24a6${at}`] as const);
    const sent = upstream.uploads?.withIds(body, new Map(ids));
    expect(difyRequest.safeParse(sent).error).toBeUndefined();
    const kinds = ["image", "image", "audio", "document", "document"];
    expect(sent).toMatchObject({ files: kinds.map((type) => ({ type })) });
  });

  test.each<[string, Partial<ChatRequest>]>([
    ["tools", { tools: [{ name: "f" }] }],
    [
      "a call",
      { messages: [{ role: "assistant", content: [{ type: "tool-call", id: "a", name: "f", arguments: "" }] }] },
    ],
    ["a result", { messages: [{ role: "tool", toolCallId: "a", content: [] }] }],
    ["stop", { stop: ["END"] }],
    ["choices", { choices: 2 }],
    ["an upload", { messages: [{ role: "user", content: [{ type: "image", source: { type: "id", id: "file-1" } }] }] }],
  ])("%s: refused", (_what, more) => {
    expect(() => encode(more)).toThrow(InvalidRequest);
  });

  test("tools that must not be called are left out", () => {
    expect(encode({ tools: [{ name: "f" }], toolChoice: { type: "none" } })).toMatchObject({ query: "hi" });
  });
});

describe("answers", () => {
  test("an agent's words come once, though its thoughts repeat them, with the picture that it drew", () => {
    const decoder = upstream.streamDecoder();
    const frames = readChunksFixture("dify", "agent");
    const { response, hasEnded } = collectEvents(frames.flatMap((frame) => decoder.step(frame)));
    const text = "Once upon a time\n\n![](https://dify.example/files/tools/d75b7a5c.png)\n\n";
    expect(response.choices[0]?.content).toEqual([{ type: "text", text }]);
    expect([hasEnded, response.usage?.completionTokens]).toEqual([true, 97]);
  });

  test("an answer in one piece is the same as a stream", () => {
    const json = readJsonFixture("dify", "text.answer");
    const decoder = upstream.streamDecoder();
    const { response } = collectEvents(readChunksFixture("dify", "text").flatMap((frame) => decoder.step(frame)));
    expect(upstream.decode(json)).toEqual(response);
    expect(upstream.wholeBody.hasFailed(json)).toBe(false);
    expect(upstream.decode({ code: "x" })).toBe(null);
  });

  test("what moderation puts in place of an answer follows it, and is the reason for its end", () => {
    const { response } = decoded(
      { event: "message", message_id: "m", answer: "Bad" },
      { event: "message_replace", message_id: "m", answer: "I cannot say that." },
      { event: "message_end", message_id: "m", metadata: {} },
    );
    expect(response).toMatchObject({
      choices: [{ content: [{ text: "Bad\n\nI cannot say that." }], finishReason: { unified: "content-filter" } }],
      usage: null,
    });
  });

  test("a workflow that fails is an error; a node that fails is none", () => {
    const data = { status: "failed", error: "no model" };
    expect(decoded({ event: "node_finished", data }).error).toBe(null);
    expect(decoded({ event: "workflow_finished", data }).error?.message).toBe("no model");
  });

  test.each([
    [{}],
    [null],
    [{ prompt_tokens: "12" }],
    [{ prompt_tokens: 0, completion_tokens: 0 }],
    [{ prompt_tokens: -1 }],
  ])("usage that is none is unknown: %j", (usage) => expect(upstream.readUsage(usage)).toBe(null));
});
