import { expect, test } from "vitest";
import type { Answer } from "./call-operation";
import { readSpeech, toPlayable, toSpeechBody } from "./speech";

const texts = { none: "none", tooLarge: "too large" };
const unset = { voice: "", format: "", speed: "", instructions: "" };
const bytes = (...parts: number[]): Answer => ({
  kind: "bytes",
  requestId: "r",
  contentType: "audio/mpeg",
  body: new Blob(parts.map((size) => new Uint8Array(size))).stream(),
});

test("a voice is always sent, other parameters only when they are set", () => {
  expect(toSpeechBody("m", "hello", unset, undefined)).toEqual({ model: "m", input: "hello", voice: "alloy" });
  const set = { voice: "nova", format: "wav", speed: "1.5", instructions: " calmly " };
  expect(toSpeechBody("m", "hello", set, 1.5)).toMatchObject({
    voice: "nova",
    response_format: "wav",
    speed: 1.5,
    instructions: "calmly",
  });
});

test("sound is read to its end; silence and words instead of sound are errors", async () => {
  const speech = await readSpeech(bytes(10, 20), "", texts);
  expect(speech).toMatchObject({ bytes: 30, format: "mp3" });
  expect(speech.blob?.type).toBe("audio/mpeg");
  await expect(readSpeech(bytes(), "", texts)).rejects.toMatchObject({ message: "none", requestId: "r" });
  await expect(readSpeech({ kind: "text", requestId: "r", text: "no" }, "", texts)).rejects.toThrow("none");
});

test("sound without an end is cut off", async () => {
  const body = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(16 * 1_048_576)) });
  const answer: Answer = { kind: "bytes", requestId: "r", contentType: "audio/mpeg", body };
  await expect(readSpeech(answer, "mp3", texts)).rejects.toThrow("too large");
});

test("raw samples get a header so that they can be played", async () => {
  const playable = toPlayable(await readSpeech(bytes(8), "pcm", texts));
  const view = new DataView((await playable?.arrayBuffer()) ?? new ArrayBuffer(0));
  expect(view.byteLength).toBe(52);
  expect([view.getUint32(4, true), view.getUint32(24, true), view.getUint32(40, true)]).toEqual([44, 24_000, 8]);
});
