import type { UpstreamMedia } from "../media/media-kind";
import type { TranscriptionRequest } from "./transcription-request";
import { workersAiTranscriptions } from "./workers-ai";

/** Formats of transcripts besides OpenAI's, by id. */
export const TRANSCRIPTION_FORMATS: ReadonlyMap<string, UpstreamMedia<TranscriptionRequest>> = new Map([
  ["workers-ai", workersAiTranscriptions],
]);
