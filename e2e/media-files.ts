import { crc32, deflateSync } from "node:zlib";
import { wavHeader } from "../lib/wav";

/** A picture that a browser can decode: water below a sky. */
export function makePng(width: number, height: number): Buffer {
  const lines = Array.from({ length: height }, (_, y) => {
    const share = y / height;
    const colour = share < 0.5 ? [250 - 120 * share, 180 + 60 * share, 120 + 200 * share] : [30, 90 + 40 * share, 160];
    return [0, ...Array.from({ length: width }, () => colour).flat()];
  });
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from("89504e470d0a1a0a", "hex"),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(Buffer.from(lines.flat()))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

const SAMPLES_PER_SECOND = 8_000;

/** A tone of 440 Hz. */
export function makeWav(seconds: number): Buffer {
  const samples = Buffer.from(
    Array.from({ length: SAMPLES_PER_SECOND * seconds }, (_, at) =>
      Math.round(128 + 90 * Math.sin((2 * Math.PI * 440 * at) / SAMPLES_PER_SECOND)),
    ),
  );
  const header = wavHeader(samples.length, { samplesPerSecond: SAMPLES_PER_SECOND, bits: 8 });
  return Buffer.concat([header, samples]);
}

/** One frame of VP8, 8 × 8, that lasts a second. */
export const WEBM = Buffer.from(
  "GkXfo0AgQoaBAUL3gQFC8oEEQvOBCEKCQAR3ZWJtQoeBAkKFgQIYU4BnQI0VSalmQCgq17FAAw9CQE2AQAZ3aGFtbXlXQUAGd2hhbW15RIlACECPQAAA" +
    "AAAAFlSua0AxrkAu14EBY8WBAZyBACK1nEADdW5khkAFVl9WUDglhohAA1ZQOIOBAeBABrCBCLqBCB9DtnVAIueBAKNAHIEAAIAwAQCdASoIAAgAAUAm" +
    "JaQAA3AA/vz0AAA=",
  "base64",
);
