import { expect, test } from "vitest";
import { openaiChat } from "../wire/dialects/openai-chat";
import { spark } from "../wire/dialects/spark";
import { EventReader } from "./server-sent-events";
import { TranslateAnswer } from "./translate";

const MEGABYTE = 1_048_576;

test("an event of an upstream that never ends one takes no more than 10 MB, however short its lines are", () => {
  const reader = new EventReader();
  const lines = Buffer.from(`data: ${"x".repeat(1_000)}\n`.repeat(1_024));
  const flood = (): void => {
    for (let sent = 0; sent < 12; sent++) reader.push(lines);
  };
  expect(flood).toThrow("longer than 10 MB");
});

test("many events that are short are no long one", () => {
  const reader = new EventReader();
  const events = Buffer.from(`data: ${"x".repeat(MEGABYTE)}\n\n`);
  for (let sent = 0; sent < 12; sent++) expect(reader.push(events)).toHaveLength(1);
});

test("what is put together from a stream for a caller who gets it whole is bounded like a body", () => {
  const { upstream } = spark;
  const context = { requestId: "r", model: "m", wantsUsage: false, createdAt: 1 };
  const { readUsage } = upstream;
  const answer = new TranslateAnswer({
    upstream,
    clientDialect: openaiChat.client,
    context,
    isStream: false,
    readUsage,
  });
  answer.start({ status: 200, contentType: "application/x-ndjson", retryAfter: undefined });
  const said = { header: { code: 0, status: 1 }, payload: { choices: { text: [{ content: "x".repeat(MEGABYTE) }] } } };
  const line = Buffer.from(`${JSON.stringify(said)}\n`);
  const flood = (): void => {
    for (let sent = 0; sent < 65; sent++) answer.push(line);
  };
  expect(flood).toThrow("too large");
});
