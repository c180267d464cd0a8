import type { Form, FormFile } from "../../http/forms/form";
import { InvalidRequest } from "../../wire/canonical/wire-error";
import { readModel } from "../../wire/dialects/common/request-fields";
import { fieldsOf, filesOf } from "../media/media-fields";
import type { MediaRequest, MediaSource } from "../media/media-kind";
import { type Duration, readDuration } from "./duration";

export type TranscriptionRequest = MediaRequest & {
  /** Into English; false = as it was said. */
  translates: boolean;
  file: FormFile;
  prompt: string;
  /** Of all texts that are read with the sound: the prompt, key words, names of speakers. */
  textBytes: number;
  /** How many voices of speakers are given. */
  samples: number;
  language: string | null;
  format: string;
  /** As the file's header tells; null = it does not. */
  duration: Duration | null;
};

/** Contract §4.1. */
const USUAL_MODEL = "whisper-1";
const PROMPT_MAX = 65_536;
const WORD_MAX = 64;

const SAMPLE = "known_speaker_references";
/** They say how to answer, and are not read with the sound. */
const UNREAD = new Set(["model", "stream", "response_format", "temperature", "timestamp_granularities", "include"]);

const isSample = ({ name }: { name: string }): boolean => name.startsWith(SAMPLE);

function hintsIn({ entries }: Form): string[] {
  return entries.flatMap((entry) => {
    const isRead = "text" in entry && !isSample(entry) && !UNREAD.has(entry.name.replace(/\[.*$/s, ""));
    return isRead ? [entry.text] : [];
  });
}

/** Rejects with InvalidRequest. */
export async function readTranscription(source: MediaSource, translates: boolean): Promise<TranscriptionRequest> {
  if (!("form" in source)) throw new InvalidRequest("the request body must be multipart/form-data");
  const fields = fieldsOf(source);
  const [file, other] = filesOf(source.form, ["file"]);
  if (!file || other || file.file.length === 0) throw new InvalidRequest("file must be one file", "file");
  const hints = hintsIn(source.form);
  return {
    model: readModel(source.form.text("model") || USUAL_MODEL),
    isStream: !translates && fields.flag("stream"),
    translates,
    file,
    prompt: fields.text("prompt", PROMPT_MAX) ?? "",
    textBytes: hints.reduce((sum, text) => sum + Buffer.byteLength(text), 0),
    samples: source.form.entries.filter(isSample).length,
    language: fields.text("language", WORD_MAX) ?? null,
    format: fields.text("response_format", WORD_MAX) || "json",
    duration: await readDuration(file),
  };
}
