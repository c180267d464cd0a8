import { asObject, parseJson } from "../wire";
import { type Answer, CallFailure } from "./call-operation";

/** What was said. */
export type Transcript = {
  text: string;
  /** The answer as it came; "" = a stream, whose text is all. */
  raw: string;
  format: string;
};

export type TranscriptionParameters = {
  language: string;
  format: string;
  prompt: string;
  temperature: string;
  isStreamed: boolean;
};

export const FORMATS = ["json", "text", "srt", "verbose_json", "vtt"];
/** As the provider allows. */
export const FILE_BYTES_MAX = 25 * 1_048_576;
const KEPT_MAX = 50_000;

/** The fields of POST /v1/audio/transcriptions beside the file, as far as they are set. */
export function toTranscriptionFields(
  model: string,
  { language, format, prompt, isStreamed }: TranscriptionParameters,
  temperature: number | undefined,
): Record<string, string> {
  return {
    model,
    ...(language.trim() === "" ? {} : { language: language.trim() }),
    ...(format === "" ? {} : { response_format: format }),
    ...(prompt.trim() === "" ? {} : { prompt: prompt.trim() }),
    ...(temperature === undefined ? {} : { temperature: String(temperature) }),
    ...(isStreamed ? { stream: "true" } : {}),
  };
}

export function toForm(fields: Record<string, string>, file: File): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set("file", file, file.name);
  return form;
}

/** The text of an answer; `onText` gets it as it grows. Throws CallFailure when there is none. */
export async function readTranscript(
  answer: Answer,
  asked: string,
  texts: { none: string },
  onText: (transcript: Transcript) => void,
): Promise<Transcript> {
  const format = asked || "json";
  if (answer.kind === "events") return readStream(answer, format, onText);
  if (answer.kind === "json") {
    const { text } = answer.json;
    if (typeof text === "string") return { text, raw: JSON.stringify(answer.json, null, 2), format };
  }
  const text = answer.kind === "text" ? answer.text : answer.kind === "bytes" ? await readBytes(answer.body) : "";
  if (text === "") throw new CallFailure(texts.none, { status: 200, requestId: answer.requestId });
  return { text, raw: text, format };
}

async function readStream(
  { events }: Answer & { kind: "events" },
  format: string,
  onText: (transcript: Transcript) => void,
): Promise<Transcript> {
  let text = "";
  for await (const { json } of events) {
    if (typeof json.delta === "string") text += json.delta;
    else if (typeof json.text === "string" && json.type === "transcript.text.done") text = json.text;
    else continue;
    onText({ text, raw: "", format });
  }
  return { text, raw: "", format };
}

/** Subtitles may come as a type that does not say that they are text. */
function readBytes(body: ReadableStream<Uint8Array>): Promise<string> {
  return new Response(body).text();
}

export type Segment = { start: number; end: number; text: string };

/** The parts with their times, of a verbose answer; [] = none. Times in seconds. */
export function readSegments({ raw, format }: Transcript): Segment[] {
  if (format !== "verbose_json") return [];
  const { segments } = parseJson(raw);
  if (!Array.isArray(segments)) return [];
  return segments.flatMap((segment) => {
    const { start, end, text } = asObject(segment);
    return typeof start === "number" && typeof end === "number" && typeof text === "string"
      ? [{ start, end, text: text.trim() }]
      : [];
  });
}

/** The name's ending of a file with the transcript. */
export const fileEnding = (format: string): string => (format === "srt" || format === "vtt" ? format : "txt");

export type KeptTranscript = { text: string; format: string };

export const keepTranscript = ({ text, format }: Transcript): KeptTranscript => ({
  text: text.slice(0, KEPT_MAX),
  format,
});

export function isKeptTranscript(value: unknown): value is KeptTranscript {
  const { text, format } = asObject(value);
  return typeof text === "string" && typeof format === "string";
}
