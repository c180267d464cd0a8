import { describe, expect, test } from "vitest";
import { collectEvents } from "../../../../testing/collect-events";
import { readChunksFixture } from "../../../../testing/dialect-fixtures";
import { cozeRequest } from "../../../../testing/upstream-schemas/coze";
import type { ChatRequest, Message } from "../../canonical/request";
import { InvalidRequest } from "../../canonical/wire-error";
import { coze } from ".";

const { upstream } = coze;
const target = {
  model: "m",
  other: " 7379462189365198898 ",
  canReportStreamUsage: false,
  systemPrompt: { text: "", isForced: false },
};
const says = (role: "user" | "assistant" | "system", text: string): Message => ({
  role,
  content: [{ type: "text", text }],
});

function encode(more: Partial<ChatRequest>) {
  const body = upstream.encode({ model: "m", messages: [says("user", "hi")], isStream: false, ...more }, target);
  expect(cozeRequest.safeParse(sent(body)).error).toBeUndefined();
  return body;
}

function sent(body: Record<string, unknown>) {
  const pending = upstream.uploads?.pending(body) ?? [];
  return upstream.uploads?.withIds(body, new Map(pending.map((url, at) => [url, `73812${at}`])));
}

const text = (role: string, content: string) => ({
  role,
  type: role === "user" ? "question" : "answer",
  content,
  content_type: "text",
});

describe("requests", () => {
  test("the bot is the channel's, whatever the model is called; nothing is kept of the conversation", () => {
    expect(encode({ user: "ada" })).toEqual({
      bot_id: "7379462189365198898",
      user_id: "ada",
      additional_messages: [text("user", "hi")],
      stream: true,
      auto_save_history: false,
    });
  });

  test.each<[string, Message[], object[]]>([
    [
      "turns",
      [says("system", "Be kind."), says("user", "hi"), says("assistant", "Hello!"), says("user", "Bye")],
      [text("user", "Be kind."), text("user", "hi"), text("assistant", "Hello!"), text("user", "Bye")],
    ],
    ["only a system message", [says("system", "Be kind.")], [text("user", "Be kind."), text("user", "...")]],
    ["the bot has the last word", [says("assistant", "Hello!")], [text("assistant", "Hello!"), text("user", "...")]],
    ["nothing", [{ role: "user", content: [] }], [text("user", "...")]],
  ])("%s", (_what, messages, wanted) => {
    expect(encode({ messages }).additional_messages).toEqual(wanted);
  });

  test("more messages than the bot takes: the earliest become one, and none is lost", () => {
    const messages = Array.from({ length: 131 }, (_, at) => says(at % 2 === 0 ? "user" : "assistant", `word ${at}.`));
    const body = encode({ messages: [says("system", "Be kind."), ...messages] });
    const told = JSON.stringify(body.additional_messages);
    expect(body.additional_messages).toHaveLength(100);
    for (let at = 0; at < 131; at++) expect(told.split(`word ${at}.`)).toHaveLength(2);
    expect(told.split("Be kind.")).toHaveLength(2);
  });

  test("pictures and files are parts of their message, to be uploaded or by their address", () => {
    const content: Message["content"] = [
      { type: "text", text: "What is it?" },
      { type: "image", source: { type: "base64", mediaType: "image/png", data: "aQ==" } },
      { type: "image", source: { type: "url", url: "https://weir.example/a.png" } },
      { type: "file", name: "a.pdf", source: { type: "base64", mediaType: "application/pdf", data: "cA==" } },
    ];
    const body = sent(encode({ messages: [{ role: "user", content }] }));
    const parts = [
      { type: "text", text: "What is it?" },
      { type: "image", file_id: "738120" },
      { type: "image", file_url: "https://weir.example/a.png" },
      { type: "file", file_id: "738121" },
    ];
    expect(body?.additional_messages).toEqual([
      { role: "user", type: "question", content: JSON.stringify(parts), content_type: "object_string" },
    ]);
  });

  test("sound is refused", () => {
    const content = [{ type: "audio" as const, format: "mp3", data: "cw==" }];
    expect(() => encode({ messages: [{ role: "user", content }] })).toThrow(InvalidRequest);
  });
});

describe("answers", () => {
  const decoded = (...events: [string, object][]) => {
    const decoder = upstream.streamDecoder();
    return collectEvents(events.flatMap(([event, json]) => decoder.step({ event, data: JSON.stringify(json) })));
  };

  test("only what the bot says is its answer, once; what it thinks is a thought", () => {
    const decoder = upstream.streamDecoder();
    const frames = readChunksFixture("coze", "thinking");
    const { response } = collectEvents(frames.flatMap((frame) => decoder.step(frame)));
    expect(response.choices[0]?.content).toEqual([
      { type: "thinking", text: "17 × 20 = 340, 17 × 3 = 51." },
      { type: "text", text: "It is 391." },
    ]);
    expect(response.usage).toMatchObject({ promptTokens: 20, completionTokens: 40, reasoningTokens: 30 });
  });

  test("an answer that comes only as a whole is not lost", () => {
    const { response } = decoded(
      ["conversation.message.completed", { id: "1", type: "answer", content: "Hello.", content_type: "text" }],
      ["conversation.message.completed", { id: "2", type: "verbose", content: "{}", content_type: "text" }],
    );
    expect(response.choices[0]?.content).toEqual([{ type: "text", text: "Hello." }]);
  });

  test("a bot that waits for a tool, fails or is refused is an error", () => {
    expect(decoded(["conversation.chat.requires_action", { id: "1", status: "requires_action" }]).error).not.toBe(null);
    const failed = { id: "1", status: "failed", last_error: { code: 5000, msg: "It failed." } };
    expect(decoded(["conversation.chat.failed", failed]).error).toMatchObject({ message: "It failed.", code: 5000 });
    expect(decoded(["error", { code: 4013, msg: "Too many." }]).error).toMatchObject({ message: "Too many." });
    expect(upstream.wholeBody.hasFailed({ code: 4100, msg: "Not valid." })).toBe(true);
  });

  test.each([[{}], [null], [{ input_count: "12" }], [{ input_count: 0, output_count: 0 }], [{ input_count: -1 }]])(
    "usage that is none is unknown: %j",
    (usage) => expect(upstream.readUsage(usage)).toBe(null),
  );
});
