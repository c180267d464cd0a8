import { addUsage, type ReadFacts } from "../../answers/media/media-facts";
import { readObject } from "../../wire/canonical/json";
import { readOpenaiUsage } from "../../wire/dialects/common/openai/openai-usage";
import { openaiCaller } from "../documents/document-fields";
import { mediaOperation } from "../media/define-media";
import type { UpstreamMedia } from "../media/media-kind";
import { readTranscription, type TranscriptionRequest } from "./transcription-request";
import { measureTranscription, needOf } from "./transcription-usage";
import { workersAiTranscriptions } from "./workers-ai";

/** Formats of transcripts besides OpenAI's, by id. */
const TRANSCRIPTION_FORMATS: ReadonlyMap<string, UpstreamMedia<TranscriptionRequest>> = new Map([
  ["workers-ai", workersAiTranscriptions],
]);

const TRANSLATIONS = "/v1/audio/translations";

/** `usage` has tokens, or the seconds that are billed; a verbose answer also how long the sound is. */
const readFacts: ReadFacts = (json, into) => {
  const { usage, duration } = json;
  const { seconds } = readObject(usage);
  // Subtitles and text are asked for as they are, so that only documents and events come here.
  const told = typeof seconds === "number" ? seconds : Number(duration ?? Number.NaN);
  if (Number.isFinite(told)) into.seconds = told;
  addUsage(into, readOpenaiUsage(usage));
};

const DOCUMENTS = new Set(["json", "verbose_json", "diarized_json"]);

/** What was said, and what it means in English. */
export const transcriptions = mediaOperation<TranscriptionRequest>(
  {
    operation: "transcriptions",
    clientDialect: openaiCaller("invalid_audio_request"),
    paths: ["/v1/audio/transcriptions", TRANSLATIONS],
    formats: TRANSCRIPTION_FORMATS,
    read: (source, { path }) => readTranscription(source, path === TRANSLATIONS),
    rename: (request, model) => ({ ...request, model }),
    words: ({ prompt }) => (prompt === "" ? [] : [prompt]),
    need: needOf,
    expects: ({ format }) =>
      DOCUMENTS.has(format)
        ? { what: "document", contentType: "application/json" }
        : { what: "text", contentType: "text/plain; charset=utf-8" },
    readFacts,
    hasAnswer: ({ text }) => typeof text === "string",
    beginning: null,
    measure: measureTranscription,
  },
  { json: false, form: true },
);
