import { type Json, readArray, readObject, readText } from "../../wire/canonical/json";
import { InvalidRequest } from "../../wire/canonical/wire-error";
import { failsWithout } from "../documents/document-fields";
import type { DecodedMedia, UpstreamMedia } from "../media/media-kind";
import type { TranscriptionRequest } from "./transcription-request";

const JSON_TYPE = "application/json";
const TEXT_TYPE = "text/plain; charset=utf-8";

const resultOf = ({ result }: Json): Json => readObject(result);
const hasText = (json: Json): boolean => typeof resultOf(json).text === "string";

function render(result: Json, { format, duration }: TranscriptionRequest): DecodedMedia | null {
  const text = readText(result.text);
  const document = (value: Json): DecodedMedia => ({
    body: Buffer.from(JSON.stringify(value)),
    contentType: JSON_TYPE,
  });
  if (format === "json") return document({ text });
  if (format === "verbose_json")
    return document({ task: "transcribe", duration: duration?.seconds ?? null, text, words: readArray(result.words) });
  if (format === "text") return { body: Buffer.from(`${text}\n`), contentType: TEXT_TYPE };
  const subtitles = readText(result.vtt);
  if (subtitles === "") return null;
  return { body: Buffer.from(format === "vtt" ? subtitles : toSrt(subtitles)), contentType: TEXT_TYPE };
}

const TIME = /(?:(\d{2,}):)?(\d{2}:\d{2})\.(\d{3})/g;

function toSrt(subtitles: string): string {
  const cues = subtitles
    .replaceAll("\r\n", "\n")
    .split(/\n{2,}/)
    .filter((block) => block.includes("-->"))
    .map((block) => block.slice(block.lastIndexOf("\n", block.indexOf("-->")) + 1));
  return cues
    .map((cue, at) => {
      const [times = "", ...lines] = cue.trim().split("\n");
      return `${at + 1}\n${times.replace(TIME, (_, hours = "00", rest, ms) => `${hours}:${rest},${ms}`)}\n${lines.join("\n")}\n`;
    })
    .join("\n");
}

/** Cloudflare takes the sound itself as the body (contract §6.15). */
export const workersAiTranscriptions: UpstreamMedia<TranscriptionRequest> = {
  encode({ file, isStream, translates, format }, model) {
    if (isStream) throw new InvalidRequest("the model's upstream has no streamed transcripts", "stream");
    if (translates) throw new InvalidRequest("the model's upstream does not translate", "model");
    if (!["json", "verbose_json", "text", "vtt", "srt"].includes(format)) {
      throw new InvalidRequest(`the model's upstream has no ${format}`, "response_format");
    }
    return { path: `/run/${model.replace(/^run\//, "")}`, body: file.file, contentType: "application/octet-stream" };
  },
  decode: (json, request) => render(resultOf(json), request),
  hasFailed: failsWithout(hasText),
};
