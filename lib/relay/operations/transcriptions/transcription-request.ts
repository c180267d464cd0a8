import { InvalidRequest } from "../../canonical/wire-error";
import { readModel } from "../../dialects/request-fields";
import type { FormFile } from "../../forms/form";
import { fieldsOf, filesOf } from "../media/media-fields";
import type { MediaRequest, MediaSource } from "../media/media-kind";
import { type Duration, readDuration } from "./duration";

export type TranscriptionRequest = MediaRequest & {
  /** Into English; false = as it was said. */
  translates: boolean;
  file: FormFile;
  prompt: string;
  language: string | null;
  format: string;
  /** As the file's header tells; null = it does not. */
  duration: Duration | null;
};

/** Contract §4.1. */
const USUAL_MODEL = "whisper-1";
const PROMPT_MAX = 65_536;
const WORD_MAX = 64;

/** Rejects with InvalidRequest. */
export async function readTranscription(source: MediaSource, translates: boolean): Promise<TranscriptionRequest> {
  if (!("form" in source)) throw new InvalidRequest("the request body must be multipart/form-data");
  const fields = fieldsOf(source);
  const [file, other] = filesOf(source.form, ["file"]);
  if (!file || other || file.file.length === 0) throw new InvalidRequest("file must be one file", "file");
  return {
    model: readModel(source.form.text("model") || USUAL_MODEL),
    isStream: !translates && fields.flag("stream"),
    translates,
    file,
    prompt: fields.text("prompt", PROMPT_MAX) ?? "",
    language: fields.text("language", WORD_MAX) ?? null,
    format: fields.text("response_format", WORD_MAX) || "json",
    duration: await readDuration(file),
  };
}
