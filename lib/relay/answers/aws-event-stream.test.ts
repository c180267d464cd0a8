import { crc32 } from "node:zlib";
import { EventStreamCodec, type MessageHeaders } from "@smithy/eventstream-codec";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { reportedStatus } from "../base/upstream-error";
import { AwsEventReader } from "./aws-event-stream";

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes).toString("utf8"),
  (text) => Buffer.from(text),
);

function message(headers: Record<string, string>, body: string): Buffer {
  const typed: MessageHeaders = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, { type: "string" as const, value }]),
  );
  return Buffer.from(codec.encode({ headers: typed, body: Buffer.from(body) }));
}

const event = (name: string, body: string): Buffer => message({ ":event-type": name, ":message-type": "event" }, body);

function readAll(pieces: readonly Buffer[]) {
  const reader = new AwsEventReader();
  return [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()];
}

/** The bytes in pieces of these lengths. */
function divide(bytes: Buffer, lengths: readonly number[]): Buffer[] {
  const pieces: Buffer[] = [];
  let at = 0;
  for (const length of lengths) {
    pieces.push(bytes.subarray(at, at + length));
    at += length;
  }
  return [...pieces, bytes.subarray(at)];
}

describe("AWS's event stream", () => {
  test("gives the same messages wherever the bytes are divided", () => {
    const names = fc.stringMatching(/^[a-zA-Z]{1,30}$/).filter((name) => name !== "chunk");
    const messages = fc.array(fc.record({ name: names, data: fc.json() }), { maxLength: 12 });
    fc.assert(
      fc.property(messages, fc.array(fc.nat(60), { maxLength: 60 }), (given, lengths) => {
        const bytes = Buffer.concat(given.map(({ name, data }) => event(name, data)));
        expect(readAll(divide(bytes, lengths))).toEqual(given.map(({ name, data }) => ({ event: name, data })));
      }),
    );
  });

  test("gives what a model wrote into a part without its base64", () => {
    const data = '{"type":"ping","word":"日本"}';
    const part = JSON.stringify({ bytes: Buffer.from(data).toString("base64"), p: "abc" });
    expect(readAll([event("chunk", part)])).toEqual([{ event: null, data }]);
  });

  test.each([
    ["throttlingException", 429],
    ["serviceUnavailableException", 503],
    ["modelTimeoutException", 504],
    ["internalServerException", 500],
    ["modelStreamErrorException", 502],
  ])("tells the exception %s and its status", (type, status) => {
    const bytes = message({ ":message-type": "exception", ":exception-type": type }, '{"message":"Too many requests"}');
    const [frame] = readAll([bytes]);
    expect(frame).toEqual({ event: type, data: JSON.stringify({ error: { type, message: "Too many requests" } }) });
    expect(reportedStatus(Buffer.from(frame?.data ?? ""))).toBe(status);
  });

  test("tells an error of the service itself", () => {
    const headers = { ":message-type": "error", ":error-code": "InternalError", ":error-message": "it broke" };
    const error = { type: "InternalError", message: "it broke" };
    expect(readAll([message(headers, "")])).toEqual([{ event: "InternalError", data: JSON.stringify({ error }) }]);
  });

  test("a message that breaks off cannot be read", () => {
    const bytes = event("messageStop", '{"stopReason":"end_turn"}');
    const frames = readAll([bytes, bytes.subarray(0, bytes.length - 1)]);
    expect(frames).toHaveLength(2);
    expect(() => JSON.parse(frames[1]?.data ?? "")).toThrow();
  });

  test("a message of more than 10 MB is refused at its first bytes, one of less is read", () => {
    const head = Buffer.alloc(4);
    head.writeUInt32BE(10 * 1_048_576 + 1);
    expect(() => new AwsEventReader().push(head)).toThrow("longer than 10 MB");
    const text = JSON.stringify({ text: "a".repeat(9 * 1_048_576) });
    const bytes = event("contentBlockDelta", text);
    const pieces = Array.from({ length: Math.ceil(bytes.length / 65_536) }, (_, at) =>
      bytes.subarray(at * 65_536, (at + 1) * 65_536),
    );
    expect(readAll(pieces)[0]?.data.length).toBe(text.length);
  });

  test.each(["<html>", "data: {}\n\n", '{"message":"no"}', "\0\0\0\x0f............"])("%j is none", (text) => {
    expect(() => new AwsEventReader().push(Buffer.from(text))).toThrow();
  });

  test("a damaged message never passes, and nothing but an error comes of random bytes", () => {
    const bytes = event("contentBlockDelta", '{"delta":{"text":"Hello"}}');
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const damaged = Buffer.from(bytes);
        damaged[at] = (damaged[at] ?? 0) ^ change;
        let frames: readonly unknown[] = [];
        try {
          frames = readAll([damaged]);
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
        }
        expect(frames).not.toContainEqual({ event: "contentBlockDelta", data: expect.stringContaining("delta") });
      }),
    );
  });

  test("lengths of headers that reach beyond the message read nothing of the memory around it", () => {
    const headers = Buffer.from([1, 0x61, 7, 0xff, 0xff]);
    const plain = Buffer.from(codec.encode({ headers: {}, body: headers }));
    // The same bytes as headers instead of as a body, with checksums of their own.
    plain.writeUInt32BE(headers.length, 4);
    plain.writeUInt32BE(crc32(plain.subarray(0, 8)), 8);
    plain.writeUInt32BE(crc32(plain.subarray(0, plain.length - 4)), plain.length - 4);
    expect(() => new AwsEventReader().push(Buffer.concat([plain, Buffer.alloc(70_000, "secret")]))).toThrow();
  });
});
