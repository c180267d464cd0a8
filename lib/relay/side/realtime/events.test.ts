import { describe, expect, test } from "vitest";
import { defaultOptions } from "@/lib/option/registry";
import { AskedResponses } from "./asked-responses";
import { readClientEvent } from "./client-events";
import { closeReason, sendableCode } from "./error-event";
import { appendedLength, typeAtStart } from "./event-type";
import { readUsage } from "./session-books";
import { readCostSettings } from "./settings-in-force";
import { Tally } from "./tally";

const rates = { text: 1, cached: 0.1, sound: 20, picture: 1, writtenText: 2, writtenSound: 40, call: 0 };
const second = "A".repeat(64_000);
const append = (audio: string) => Buffer.from(JSON.stringify({ type: "input_audio_buffer.append", audio }));

function rulesWith(tally: Tally) {
  const options = defaultOptions();
  return { model: "own", upstreamModel: "theirs", tally, options: () => options, isPriced: () => true };
}
const read = (event: unknown, tally = new Tally(rates)) =>
  JSON.parse(readClientEvent(Buffer.from(JSON.stringify(event)), rulesWith(tally)).toString("utf8")) as unknown;

describe("the type of an event", () => {
  test.each([
    ['{"type":"response.done","x":1}', "response.done"],
    ['{ "event_id" : "e_1",\n"type" : "error"}', "error"],
    ['{"event_id":"a\\"b","type":"error"}', null],
    ['{"delta":"\\"type\\":\\"response.done\\"","type":"response.text.delta"}', null],
    ["", null],
  ])("%s", (text, type) => expect(typeAtStart(Buffer.from(text))).toBe(type));

  test.each([
    ['{"type":"input_audio_buffer.append","audio":"AAAA"}', 4],
    ['{"event_id":"e","type":"input_audio_buffer.append","audio":"AAAA"}\n', 4],
    ['{"type":"input_audio_buffer.append","audio":"AAAA","event_id":"e"}', 4],
    // What follows could be another event in the upstream's eyes.
    ['{"type":"input_audio_buffer.append","audio":"AAAA","type":"session.update"}', -1],
    ['{"type":"input_audio_buffer.append","audio":"AA\\"}', -1],
    ['{"type":"input_audio_buffer.append"}', -1],
  ])("sound alone: %s", (text, length) => {
    expect(appendedLength(Buffer.from(text))).toBe(length);
  });
});

test("an event with a key twice is sent as it was read", () => {
  for (const twice of [
    '{"type":"session.update","session":{"model":"dear"},"session":{"model":"own"}}',
    '{"type":"session.update","session":{"model":"dear","model":"theirs"}}',
    '{"type":"session.update","session":{"model":"dear"},"session":null}',
  ])
    expect(readClientEvent(Buffer.from(twice), rulesWith(new Tally(rates))).toString("utf8")).not.toContain("dear");
});

describe("what is reserved for", () => {
  test("silence that a microphone sends for an hour is not reserved for; a turn is", () => {
    const tally = new Tally(rates);
    for (let count = 0; count < 3_600; count++) readClientEvent(append(second), rulesWith(tally));
    expect(tally.needed()).toBeLessThanOrEqual(300 * 20);
    tally.speechBegan(undefined);
    for (let count = 0; count < 60; count++) readClientEvent(append(second), rulesWith(tally));
    tally.committed();
    // A minute of speech, and a second before it.
    expect(tally.needed()).toBeCloseTo(610 * 20, -2);
  });

  test("what the last response read and wrote is the next one's input, reserved as if no cache had any of it", () => {
    const tally = new Tally(rates);
    tally.begin("r");
    tally.delivered({ isSound: true, bytes: second.length });
    expect(tally.needed()).toBeCloseTo(20 * 40, 0);
    tally.end("r");
    const usage = readUsage({
      input_tokens: 1_000,
      output_tokens: 20,
      input_token_details: { audio_tokens: 600, cached_tokens: 900, cached_tokens_details: { audio_tokens: 550 } },
      output_token_details: { audio_tokens: 20 },
    });
    expect(usage).toMatchObject({ cachedTokens: 900, audioPromptTokens: 50, audioCompletionTokens: 20 });
    if (usage) tally.reported(usage);
    // 550 of 900 cached tokens are sound, as are 70 others; 400 are text.
    expect(tally.needed()).toBeCloseTo(620 * 20 + 400, 5);
  });

  test("each response that is asked for is reserved, until it begins or is refused", () => {
    const tally = new Tally(rates);
    read({ type: "session.update", session: { instructions: "x".repeat(2_000) } }, tally);
    const one = tally.needed();
    for (const id of ["a", "b", "c"]) read({ type: "response.create", event_id: id }, tally);
    const three = tally.needed();
    expect(three).toBeGreaterThanOrEqual(3 * one);
    tally.begin("r");
    expect(tally.needed()).toBeCloseTo(three, 5);
    tally.refused({ event_id: "b", code: "conversation_already_has_active_response" });
    tally.refused({ code: "conversation_already_has_active_response" });
    expect(tally.needed()).toBeLessThan(three / 2);
  });

  test("what a model thinks is reserved when a response is asked for, as far as its limit lets it", () => {
    const tally = new Tally(rates, { window: 100_000, outputMax: 32_000, thinks: true });
    expect(tally.needed()).toBe(0);
    expect(tally.costOfBegin()).toBe(64_000);
    read({ type: "response.create", response: { max_output_tokens: 1_000 } }, tally);
    expect(tally.needed()).toBeLessThan(2_100);
    read({ type: "session.update", session: { max_output_tokens: 500 } }, tally);
    tally.settings.told(readCostSettings({ max_output_tokens: 500 }), true);
    tally.begin("r");
    tally.end("r");
    read({ type: "response.create" }, tally);
    expect(tally.needed()).toBeLessThan(1_100);
  });

  test("the settings that the upstream has not confirmed count as the dearer ones", () => {
    const tally = new Tally(rates);
    const g711 = { audio: { input: { format: { type: "audio/pcmu" } } } };
    read({ type: "session.update", session: g711 }, tally);
    tally.settings.told(readCostSettings({ audio: { input: { format: { type: "audio/pcm" } } } }), false);
    expect(tally.settings.bytesHeard).toBe(8_000);
    tally.settings.told(readCostSettings({ audio: { input: { format: { type: "audio/pcm" } } } }), true);
    expect(tally.settings.bytesHeard).toBe(48_000);
  });

  test("seconds that were never sent are not transcribed", () => {
    const tally = new Tally(rates);
    readClientEvent(append(second), rulesWith(tally));
    expect([tally.transcribed(1), tally.transcribed(600)]).toEqual([1, 1]);
  });

  test("text under a key of sound does not shrink what the upstream may report", () => {
    const tally = new Tally(rates);
    read({ type: "session.update", session: { tools: [{ audio: "x".repeat(100_000) }] } }, tally);
    expect(tally.mostOf(tally.soFar(), 0).promptTokens).toBeGreaterThan(100_000);
  });
});

describe("an event of the caller", () => {
  test("names the upstream's model where it names its own, and no other", () => {
    expect(read({ type: "session.update", session: { model: "own", voice: "alloy" } })).toEqual({
      type: "session.update",
      session: { model: "theirs", voice: "alloy" },
    });
    expect(() => read({ type: "response.create", response: { model: "dear" } })).toThrow("cannot be changed");
  });

  test("keeps its bytes", () => {
    for (const text of [
      '{"type" : "response.create",\n "response":{"instructions":"\\u00e4"}}',
      '{"type":"x","a":[],"b":{},"c":[1.0,[{"d":null,"e":[{},"f,{"]}]],"__proto__":{"a":1}}',
    ])
      expect(readClientEvent(Buffer.from(text), rulesWith(new Tally(rates))).toString("utf8")).toBe(text);
  });
});

test("close codes and reasons that may be sent", () => {
  expect([1_000, 1_005, 1_006, 1_011, 1_015, 4_000].map(sendableCode)).toEqual([
    1_000, 1_000, 1_011, 1_011, 1_011, 4_000,
  ]);
  expect(Buffer.byteLength(closeReason("ä".repeat(100)))).toBeLessThanOrEqual(123);
});

describe("a response that was asked for", () => {
  const asked = (eventId: string) => {
    const all = new AskedResponses();
    all.addTurn();
    all.add({ type: "response.create", event_id: eventId });
    all.sent();
    return all;
  };

  test.each(["", "a turn", "x"])("is told from a turn, whatever id the caller gives it: %j", (id) => {
    const all = asked(id);
    expect(all.all().map(({ isSent }) => isSent)).toEqual([false, true]);
    all.forgetTurns();
    expect(all.size).toBe(1);
  });

  test.each([
    { param: "session.audio", code: "invalid_value" },
    { param: "audio", code: "invalid_value" },
    { param: "item.content", code: null },
    { param: null, code: "input_audio_buffer_commit_empty" },
    { param: null, code: "response_cancel_not_active" },
  ])("is still expected when another event with its id is refused: %j", (error) => {
    const all = asked("x");
    all.refused({ type: "invalid_request_error", event_id: "x", ...error });
    expect(all.size).toBe(2);
  });

  test.each([
    { event_id: "x", param: "response.modalities", code: "invalid_value" },
    { event_id: "x", param: null, code: "conversation_already_has_active_response" },
    { event_id: "x", param: null, code: null },
  ])("is not expected any more when it is refused: %j", (error) => {
    const all = asked("x");
    all.refused(error);
    expect(all.all().map(({ isOfTurn }) => isOfTurn)).toEqual([true]);
  });
});
