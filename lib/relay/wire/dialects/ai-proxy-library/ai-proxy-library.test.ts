import { expect, test } from "vitest";
import { collectEvents } from "../../../../testing/collect-events";
import type { Message } from "../../canonical/request";
import { InvalidRequest } from "../../canonical/wire-error";
import { aiProxyLibrary } from ".";

const { upstream } = aiProxyLibrary;
const target = { model: "m", other: "123", canReportStreamUsage: false, systemPrompt: { text: "", isForced: false } };

function encode(messages: readonly Message[]) {
  return upstream.encode({ model: "n", messages, isStream: true }, target);
}

test("the question names the channel's library, and has the whole conversation", () => {
  const question: Message = { role: "user", content: [{ type: "text", text: "Why?" }] };
  expect(encode([question])).toEqual({ model: "m", query: "Why?", libraryId: "123", stream: true });
  const messages: Message[] = [question, { role: "assistant", content: [{ type: "text", text: "So." }] }, question];
  expect(encode(messages).query).toBe("USER:\nWhy?\n\nASSISTANT:\nSo.\n\nUSER:\nWhy?");
});

test("pictures are refused", () => {
  const image = { type: "image" as const, source: { type: "url" as const, url: "https://weir.example/a.png" } };
  expect(() => encode([{ role: "user", content: [image] }])).toThrow(InvalidRequest);
});

test.each([
  [[], ""],
  [null, ""],
  [[{ title: "A", url: "https://a.example" }, { title: "B" }, {}, 3], "\n\n1. [A](https://a.example)\n2. B\n"],
])("documents %j are a list behind the answer, whichever frame they come with", (documents, list) => {
  const decoder = upstream.streamDecoder();
  const frames = [{ content: "Yes", documents }, { content: "." }, { content: "", finish: true }];
  const events = frames.flatMap((json) => decoder.step({ event: null, data: JSON.stringify(json) }));
  const { response, hasEnded } = collectEvents(events);
  expect(response.choices[0]?.content).toEqual([{ type: "text", text: `Yes.${list}` }]);
  expect(hasEnded).toBe(true);
  const whole = upstream.decode({ success: true, answer: "Yes.", documents });
  expect(whole?.choices[0]?.content).toEqual(response.choices[0]?.content);
});
