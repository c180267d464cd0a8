import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openaiChat } from "../wire/dialects/openai-chat";
import { AnswerCut, AnswerRefused } from "./answer";
import { LineTooLong, StreamScanner } from "./stream-scanner";

const { passThrough, readUsage } = openaiChat.upstream;

function scan(withholdUsage: boolean): { scanner: StreamScanner; usage: () => ReturnType<typeof readUsage> } {
  const reader = passThrough.frameReader({ withholdUsage, readUsage });
  return { scanner: new StreamScanner(passThrough, reader), usage: reader.usage };
}

const delta = (content: string): string =>
  `data: ${JSON.stringify({ choices: [{ delta: { content } }], usage: null })}\n\n`;
const usageFrame = `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 5 } })}\n\n`;
const finishFrame = `data: ${JSON.stringify({ choices: [{ finish_reason: "stop" }], usage: { prompt_tokens: 3 } })}\n\n`;
const stop = `data: ${JSON.stringify({ choices: [{ delta: {}, finish_reason: "stop" }] })}\n\n`;
const done = "data: [DONE]\n\n";

function feed(text: string, cuts: number[] = [], withhold = true) {
  const { scanner, usage } = scan(withhold);
  const bytes = Buffer.from(text);
  const ends = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  const sent: Buffer[] = [];
  let at = 0;
  for (const end of [...ends, bytes.length]) {
    sent.push(scanner.push(bytes.subarray(at, end)) ?? Buffer.alloc(0));
    at = end;
  }
  sent.push(scanner.end() ?? Buffer.alloc(0));
  return { sent: Buffer.concat(sent).toString("utf8"), scanner, usage };
}

const events = (text: string): string[] => text.split("\n").filter((line) => line !== "");

describe("StreamScanner", () => {
  test("however the bytes are cut, the caller gets the same events, usage is found and the end held back", () => {
    const text = delta("Hello") + delta("größe 水") + usageFrame + done;
    fc.assert(
      fc.property(fc.array(fc.nat(2_000), { maxLength: 40 }), (cuts) => {
        const { sent, scanner, usage } = feed(text, cuts);
        expect(events(sent)).toEqual(events(delta("Hello") + delta("größe 水")));
        expect(usage()).toMatchObject({ promptTokens: 3, completionTokens: 5 });
        expect(scanner.isDone).toBe(true);
        expect(scanner.textLength()).toEqual({ asciiBytes: 5 + 4, otherBytes: 4 + 3 });
        expect(scanner.sample().isAll).toBe(true);
      }),
    );
  });

  test("the usage frame is passed on to who asked, and a frame that ends a choice to everyone", () => {
    expect(feed(delta("a") + usageFrame + done, [], false).sent).toContain("completion_tokens");
    expect(feed(finishFrame + done).sent).toContain("finish_reason");
  });

  test("chunks without usage or end are the same bytes, not copies", () => {
    const { scanner } = scan(true);
    const chunk = Buffer.from(delta("x"));
    expect(scanner.push(chunk)).toEqual(chunk);
    expect(scanner.push(chunk)).toBe(chunk);
  });

  test("what a model writes about usage and [DONE] is text", () => {
    const text = delta('data: [DONE] "usage":{"prompt_tokens":9}') + done;
    const { sent, usage } = feed(text);
    expect(events(sent)).toHaveLength(1);
    expect(usage()).toBeNull();
  });

  test("nothing after the end is passed on", () => {
    expect(feed(`${stop}${done}data: more\n\n`).sent).toBe(stop);
  });

  test("a stream that ends without its terminal frame is passed on to its last byte", () => {
    expect(events(feed(delta("a") + stop.trimEnd()).sent)).toHaveLength(2);
  });

  test("a stream is cut that ends without an end marker and a finish reason, or within a line", () => {
    expect(() => feed(delta("a"))).toThrow(AnswerCut);
    expect(() => feed(`${delta("a")}data: {"choices":[{"del`)).toThrow(AnswerCut);
    expect(() => feed(`${delta("a")}${stop}data: {"usage":{"prom`)).toThrow(AnswerCut);
    expect(() => feed(delta(""))).toThrow(AnswerRefused);
    expect(() => feed(delta("") + done)).toThrow(AnswerRefused);
  });

  test("comments, roles and starts are held back until the answer begins, within bounds", () => {
    const { scanner } = scan(true);
    const lead = `: waiting\n\n${delta("")}\n: more\n\n`;
    expect(scanner.push(Buffer.from(lead))).toBeNull();
    expect(scanner.push(Buffer.from(delta("Hello")))?.toString()).toBe(lead + delta("Hello"));
    const many = scan(true).scanner;
    for (let i = 0; i < 200; i++) expect(many.push(Buffer.from(delta("")))).toBeNull();
    expect(many.push(Buffer.from(delta("")))?.toString()).toBe(delta("").repeat(201));
    const long = scan(true).scanner;
    expect(long.push(Buffer.from(`: ${"x".repeat(60_000)}\n\n`))).toBeNull();
    expect(long.push(Buffer.from(`: ${"x".repeat(6_000)}\n\n`))).toHaveLength(66_008);
  });

  test("an event that cannot be read is dropped with its name, and counted", () => {
    const broken = 'event: chunk\ndata: {"choices":[{"delta":{"content":"b\n\n';
    const { sent, scanner } = feed(delta("a") + broken + delta("c") + stop + done);
    expect(sent).toBe(delta("a") + delta("c") + stop);
    expect(scanner.badEvents).toBe(1);
  });

  test("data over several lines, and events without a blank line between them, are read as they stand", () => {
    const spread = 'data: {"choices":\ndata:  [{"delta":{"content":"b"}}]}\n\n';
    const dense = (delta("a") + stop).replaceAll("\n\n", "\n");
    expect(feed(delta("a") + spread + stop + done).sent).toBe(delta("a") + spread + stop);
    expect(feed(dense + done).sent).toBe(dense);
    expect(feed(dense + done).scanner.badEvents).toBe(0);
  });

  test("only events with data count as life", () => {
    const { scanner } = scan(true);
    for (const text of [": waiting\n\n", "\n\n", "event: ping\n\n", "data:\n\n"]) scanner.push(Buffer.from(text));
    expect(scanner.events).toBe(0);
    scanner.push(Buffer.from(delta("a")));
    for (const text of [": waiting\n\n", "\n\n"]) scanner.push(Buffer.from(text));
    expect(scanner.events).toBe(1);
    scanner.push(Buffer.from(delta("a")));
    expect(scanner.events).toBe(2);
  });

  test("a long stream is kept in part only, and its text is measured by that part", () => {
    const { scanner } = scan(true);
    const chunk = Buffer.from(delta("twelve bytes"));
    for (let i = 0; i < 5_000; i++) scanner.push(chunk);
    const { frames, isAll } = scanner.sample();
    expect(isAll).toBe(false);
    expect(frames).toHaveLength(32_768);
    expect(scanner.textLength().asciiBytes / (5_000 * 12)).toBeCloseTo(1, 1);
  });

  test("a long stream that began without text is not taken for an empty one", () => {
    const { scanner } = scan(true);
    for (let i = 0; i < 1_000; i++) scanner.push(Buffer.from(delta("")));
    expect(scanner.textLength().asciiBytes).toBeGreaterThan(0);
  });

  test("the tier of a stream is the one that it names last, however often it is asked", () => {
    const { scanner } = scan(true);
    const named = (tier: string): Buffer => Buffer.from(delta("a").replace("{", `{"service_tier":"${tier}",`));
    const asked = ["", "default", "", "priority", "", ""].map((tier) => {
      scanner.push(tier === "" ? Buffer.from(delta("a")) : named(tier));
      return scanner.tier();
    });
    expect(asked).toEqual(["", "default", "default", "priority", "priority", "priority"]);
  });

  test("comments that keep the connection alive are passed on and are no text", () => {
    const { scanner } = scan(true);
    scanner.push(Buffer.from(delta("Hello")));
    for (let i = 0; i < 5_000; i++) expect(scanner.push(Buffer.from(": waiting\n\n"))).not.toBeNull();
    expect(scanner.sample().isAll).toBe(true);
    expect(scanner.textLength()).toEqual({ asciiBytes: 5, otherBytes: 0 });
  });

  test("a line that never ends does not grow without bound", () => {
    const { scanner } = scan(true);
    const part = Buffer.alloc(1_048_576, "x");
    expect(() => {
      for (let i = 0; i < 12; i++) scanner.push(part);
    }).toThrow(LineTooLong);
  });
});
