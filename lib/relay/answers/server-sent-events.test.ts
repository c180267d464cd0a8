import { expect, test } from "vitest";
import type { Frame } from "../wire/canonical/machine";
import { EventReader } from "./server-sent-events";

/** Reads the whole in pieces of this many bytes. */
function readIn(bytes: Buffer, size: number): Frame[] {
  const reader = new EventReader();
  const frames: Frame[] = [];
  for (let at = 0; at < bytes.length; at += size) frames.push(...reader.push(bytes.subarray(at, at + size)));
  return [...frames, ...reader.end()];
}

test("events are the same however their bytes are divided: characters, line ends and marks of the beginning too", () => {
  const text = [
    "\ufeffdata: a\n\n",
    ": a comment\n",
    "event: grüße\ndata: 河 🌊\n\n",
    "event: grüße\r\ndata:  two\r\ndata:three\r\n\r\n",
    "data\ndata\n\n",
    "event\nid: 1\ndataset: no\ndata:\n\n",
    "event: left over\n\n",
    "data: \ufeff \n\n",
    "data: unfinished",
  ].join("");
  const frames = [
    { event: null, data: "a" },
    { event: "grüße", data: "河 🌊" },
    { event: "grüße", data: " two\nthree" },
    { event: null, data: "\n" },
    { event: "", data: "" },
    { event: null, data: "\ufeff " },
    { event: null, data: "unfinished" },
  ];
  const bytes = Buffer.from(text);
  for (const size of [1, 2, 3, 5, 7, 16, 64, bytes.length]) expect(readIn(bytes, size), `${size}`).toEqual(frames);
});

test("bytes that are no characters are replaced alike in one piece and in several", () => {
  const bytes = Buffer.concat([
    Buffer.from("data: a\n\ndata: "),
    Buffer.from([0xe6, 0xb2, 0x0a, 0x0a]),
    Buffer.from("data: "),
    Buffer.from([0xff, 0xc3, 0x28, 0xf0, 0x9f, 0x0a, 0x0a]),
  ]);
  const whole = readIn(bytes, bytes.length);
  for (const size of [1, 2, 3, 9, 16]) expect(readIn(bytes, size), `${size}`).toEqual(whole);
});
