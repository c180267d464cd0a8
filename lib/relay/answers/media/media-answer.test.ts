import { describe, expect, test } from "vitest";
import { Secrets } from "../../base/secrets";
import { MediaAnswer } from "./media-answer";

function answerOf(
  expects: "document" | "text",
  contentType: string,
  parts: readonly string[],
  isStream = false,
): MediaAnswer {
  const answer = new MediaAnswer({
    expects,
    isStream,
    readFacts: () => {},
    hasAnswer: ({ text }) => typeof text === "string",
    beginning: null,
    contentType: "text/plain; charset=utf-8",
    secrets: new Secrets("k", [], ""),
  });
  answer.start({ status: 200, contentType, retryAfter: undefined });
  for (const part of parts) answer.push(Buffer.from(part));
  answer.end();
  return answer;
}

describe("a transcript as text", () => {
  test("is no page of a proxy", () => {
    expect(() => answerOf("text", "text/html; charset=utf-8", ["<html>please sign in</html>"])).toThrow();
    expect(`${answerOf("text", "text/plain", ["<html> was said\n"]).ending()}`).toBe("<html> was said\n");
  });

  test("of silence is a blank line; nothing at all is none", () => {
    expect(`${answerOf("text", "text/plain", ["\n"]).ending()}`).toBe("\n");
    expect(() => answerOf("text", "text/plain", [])).toThrow();
  });
});

test("comments without end are not kept", () => {
  const comments = [`:${" ".repeat(1_000_000)}`, ...Array.from({ length: 10 }, () => " ".repeat(1_000_000))];
  expect(() => answerOf("text", "text/event-stream", comments, true)).toThrow("too large");
});

test("a transcript with the times of all words of two hours is a whole answer", () => {
  const words = Array.from({ length: 20_000 }, (_, at) => ({ word: "weir", start: at / 3, end: (at + 1) / 3 }));
  const body = JSON.stringify({ text: "weir", words });
  expect(body.length).toBeGreaterThan(1_000_000);
  expect(`${answerOf("document", "application/json", [body]).ending()}`).toBe(body);
});
