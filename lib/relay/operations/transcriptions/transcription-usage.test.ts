import { tmpdir } from "node:os";
import { afterEach, expect, test } from "vitest";
import { wavHeader } from "@/lib/wav";
import { noFacts } from "../../answers/media/media-facts";
import type { FormFile } from "../../http/forms/form";
import { createSpool, type SpooledFile } from "../../http/forms/spool";
import { readDuration } from "./duration";
import type { TranscriptionRequest } from "./transcription-request";
import { measureTranscription, needOf } from "./transcription-usage";

const opened: SpooledFile[] = [];
afterEach(() => {
  for (const file of opened.splice(0)) file.close();
});
const share = { add() {}, addAnswer() {}, addStored() {}, onRelease() {}, giveBack() {}, release() {} };

/** Frames of 128 kbit/s, the first of which says how many there are. */
function mp3(frames: number, said = frames): Buffer {
  const frame = Buffer.alloc(417);
  frame.writeUInt32BE(0xfffb9000);
  const first = Buffer.from(frame);
  first.write("Xing", 36);
  first.writeUInt32BE(1, 40);
  first.writeUInt32BE(said, 44);
  return Buffer.concat([first, ...Array.from({ length: frames }, () => frame)]);
}

function wave(seconds: number, said = seconds): Buffer {
  const head = wavHeader(said * 16_000, { samplesPerSecond: 8_000, bits: 16 });
  return Buffer.concat([head, Buffer.alloc(seconds * 16_000)]);
}

async function requestOf(bytes: Buffer): Promise<TranscriptionRequest> {
  const file = createSpool(tmpdir()).open(share);
  opened.push(file);
  for (let at = 0; at < bytes.length; at += 65_536) await file.write(bytes.subarray(at, at + 65_536));
  const form: FormFile = { name: "file", fileName: "a", type: "audio/mpeg", file };
  return {
    model: "whisper-1",
    isStream: false,
    translates: false,
    file: form,
    prompt: "",
    textBytes: 0,
    samples: 0,
    language: null,
    format: "text",
    duration: await readDuration(form),
  };
}
const secondsOf = (request: TranscriptionRequest, told: number | null, lastCue: number | null = null) =>
  measureTranscription(request, { ...noFacts(), seconds: told, lastCue }).meters?.[0]?.quantity;
const reserved = (request: TranscriptionRequest) => needOf(request).meters?.[0]?.quantity ?? 0;

test("an honest header is believed, also where pictures come before the sound", async () => {
  const picture = Buffer.concat([Buffer.from("ID3\x03\x00\x00\x00\x20\x00\x00", "latin1"), Buffer.alloc(524_288)]);
  for (const bytes of [mp3(383), Buffer.concat([picture, mp3(383)]), wave(10)]) {
    const request = await requestOf(bytes);
    expect(request.duration?.seconds).toBeCloseTo(10, 0);
    expect(secondsOf(request, null)).toBe(Math.ceil(request.duration?.seconds ?? 0));
    expect(reserved(request)).toBeGreaterThanOrEqual(11);
  }
});

test.each([
  ["MP3", mp3(23_000, 38)],
  ["WAV", wave(600, 1)],
  ["two files in one", Buffer.concat([wave(1), wave(600)])],
])("a header that says a second of ten minutes makes them no cheaper: %s", async (_, bytes) => {
  const request = await requestOf(bytes);
  expect(reserved(request)).toBeGreaterThan(600);
  expect(secondsOf(request, 600)).toBe(600);
  expect(secondsOf(request, null)).toBeGreaterThan(600);
});

test("a header that could be true is not believed against the upstream, but only as far as is reserved", async () => {
  // 60 s at 128 kbit/s, of which a header tells 15.
  const request = { ...(await requestOf(mp3(2_298))), duration: { seconds: 15, isCompressed: true } };
  expect(secondsOf(request, 60)).toBe(60);
  expect(secondsOf(request, null, 60)).toBe(60);
  expect(secondsOf(request, 1_000)).toBe(reserved(request));
  expect(secondsOf(request, 1e9)).toBe(15);
});

test("sound as it is lasts as long as it is large, whatever the upstream tells", async () => {
  const request = await requestOf(wave(10));
  expect(secondsOf(request, 11)).toBe(11);
  expect(secondsOf(request, 100)).toBe(10);
  // The last half minute that a model listened to.
  expect(secondsOf(request, null, 30)).toBe(10);
});
