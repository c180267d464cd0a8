import { type WavFormat, wavHeader } from "@/lib/wav";
import { asObject, type Json } from "../wire";
import { type Answer, CallFailure } from "./call-operation";

/** Spoken text. */
export type Speech = {
  /** Null = the history does not keep sound. */
  blob: Blob | null;
  bytes: number;
  format: string;
};

export type SpeechParameters = { voice: string; format: string; speed: string; instructions: string };

export const FORMATS = ["mp3", "opus", "aac", "flac", "wav", "pcm"];
export const SPEED = { min: 0.25, max: 4, step: 0.05 };

const BYTES_MAX = 64 * 1_048_576;
/** OpenAI's pcm is raw 16-bit sound of one channel. */
const PCM: WavFormat = { samplesPerSecond: 24_000, bits: 16 };

const TYPES: Readonly<Record<string, string>> = {
  mp3: "audio/mpeg",
  opus: "audio/ogg",
  aac: "audio/aac",
  flac: "audio/flac",
  wav: "audio/wav",
};

export function toSpeechBody(
  model: string,
  input: string,
  parameters: SpeechParameters,
  speed: number | undefined,
): Json {
  const { voice, format, instructions } = parameters;
  return {
    model,
    input,
    voice: voice.trim() || "alloy",
    ...(format === "" ? {} : { response_format: format }),
    ...(speed === undefined ? {} : { speed }),
    ...(instructions.trim() === "" ? {} : { instructions: instructions.trim() }),
  };
}

/** The sound of an answer. Throws CallFailure when there is none, or far too much. */
export async function readSpeech(
  answer: Answer,
  asked: string,
  texts: { none: string; tooLarge: string },
): Promise<Speech> {
  const { requestId } = answer;
  if (answer.kind !== "bytes") throw new CallFailure(texts.none, { status: 200, requestId });
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for (const reader = answer.body.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.byteLength;
    if (bytes > BYTES_MAX) {
      reader.cancel().catch(() => {});
      throw new CallFailure(texts.tooLarge, { status: 200, requestId });
    }
    parts.push(value as Uint8Array<ArrayBuffer>);
  }
  if (bytes === 0) throw new CallFailure(texts.none, { status: 200, requestId });
  const format = asked || "mp3";
  const told = answer.contentType.split(";")[0] ?? "";
  const type = TYPES[format] ?? (told.startsWith("audio/") ? told : "application/octet-stream");
  return { blob: new Blob(parts, { type }), bytes, format };
}

/** The sound as a player takes it: raw samples get the header of a WAV file. */
export function toPlayable({ blob, bytes, format }: Speech): Blob | null {
  if (!blob || format !== "pcm") return blob;
  return new Blob([wavHeader(bytes, PCM), blob], { type: "audio/wav" });
}

export type KeptSpeech = { bytes: number; format: string };

export const keepSpeech = ({ bytes, format }: Speech): KeptSpeech => ({ bytes, format });

export function isKeptSpeech(value: unknown): value is KeptSpeech {
  const { bytes, format } = asObject(value);
  return typeof bytes === "number" && typeof format === "string";
}
