import { describe, expect, test } from "vitest";
import type { Json } from "../../canonical/json";
import { readFacts } from "./facts";
import { asksForUsage, passEdits } from "./pass-edits";

const messages = [{ role: "user", content: "hi" }];
const noPrompt = { text: "", isForced: false };

function edits(json: Json, target: Partial<Parameters<typeof passEdits>[2]> = {}): Json {
  const given = { model: "m", messages, ...json };
  return passEdits(given, readFacts(given), {
    model: "m",
    canReportStreamUsage: true,
    systemPrompt: noPrompt,
    ...target,
  });
}

test("a request that needs no change gets none", () => {
  expect(edits({})).toEqual({});
  expect(edits({ stream: true, stream_options: { include_usage: true } })).toEqual({});
});

test("the upstream's name for the model is put in", () => {
  expect(edits({}, { model: "other" })).toEqual({ model: "other" });
});

test("usage is asked for where it is understood, and the field removed elsewhere", () => {
  expect(edits({ stream: true })).toEqual({ stream_options: { include_usage: true } });
  expect(edits({ stream: true, stream_options: { x: 1, include_usage: false } })).toEqual({
    stream_options: { x: 1, include_usage: true },
  });
  const removed = edits({ stream: true, stream_options: { include_usage: true } }, { canReportStreamUsage: false });
  expect(removed).toStrictEqual({ stream_options: undefined });
  expect(edits({ stream_options: {} })).toStrictEqual({ stream_options: undefined });
  expect(asksForUsage({ stream_options: { include_usage: true } })).toBe(true);
  for (const odd of [{}, { stream_options: null }, { stream_options: { include_usage: 1 } }]) {
    expect(asksForUsage(odd)).toBe(false);
  }
});

describe("the channel's system prompt", () => {
  const soft = { systemPrompt: { text: "Be kind.", isForced: false } };
  const forced = { systemPrompt: { text: "Be kind.", isForced: true } };

  test("is put in where the request has none", () => {
    expect(edits({}, soft)).toEqual({ messages: [{ role: "system", content: "Be kind." }, ...messages] });
  });

  test("gives way to the request's own, unless it is forced: then it stands in front", () => {
    const own = [{ role: "developer", content: "Be short." }, ...messages];
    expect(edits({ messages: own }, soft)).toEqual({});
    expect(edits({ messages: own }, forced)).toEqual({
      messages: [{ role: "developer", content: "Be kind.\nBe short." }, ...messages],
    });
    const parts = [{ role: "system", content: [{ type: "text", text: "Be short." }] }];
    expect(edits({ messages: parts }, forced)).toEqual({
      messages: [
        {
          role: "system",
          content: [
            { type: "text", text: "Be kind." },
            { type: "text", text: "Be short." },
          ],
        },
      ],
    });
  });
});
