import type { BilledUsage } from "@/lib/billing/types";
import type { MeterUsage } from "@/lib/meters";
import type { MediaFacts } from "../../answers/media/media-facts";
import { counted, reported } from "../media/media-usage";
import type { Need } from "../operation";
import type { TranscriptionRequest } from "./transcription-request";

/** Models whose price is per token. */
const COUNTS_TOKENS = /^(gpt-.*transcribe|gemini)/;
/** Models that never do. All others may, by whatever name an operator gives them. */
const COUNTS_SECONDS = /^whisper/;
/** The least that a second of sound takes in any usual format, and what it takes in most. */
const BYTES_PER_SECOND_MIN = 750;
const BYTES_PER_SECOND = 4_000;
/** A thousand tokens a minute is what providers count; the bound is twice as high. */
const TOKENS_PER_SECOND = 1_000 / 60;
const TOKENS_PER_SECOND_MAX = 35;
/** Of a speaker whose voice is given: OpenAI takes no longer one. */
const SAMPLE_SECONDS = 10;
const TEXT_PER_SECOND = 4;
const TEXT_PER_SECOND_MAX = 12;
const TEXT_ADDED = 256;
const BYTES_PER_TOKEN = 2;
/** Headers say less than a decoder finds, by a frame or by a tenth. */
const SLACK = 1.1;
const SLACK_SECONDS = 2;
const CUE_SLACK = 32;

/** The longest that it can be: of compressed sound longer than the header says, because nobody has to believe a header. */
export function secondsMax({ duration, file }: Pick<TranscriptionRequest, "duration" | "file">): number {
  const { length } = file.file;
  if (duration === null) return Math.ceil(length / BYTES_PER_SECOND_MIN);
  const told = Math.ceil(duration.seconds * SLACK + SLACK_SECONDS);
  return duration.isCompressed ? Math.max(told, Math.ceil(length / BYTES_PER_SECOND)) : told;
}

export function needOf(request: TranscriptionRequest): Need {
  const most = secondsMax(request);
  const isTokens = !COUNTS_SECONDS.test(request.model);
  const promptTokens = Math.ceil(request.textBytes / BYTES_PER_TOKEN) + 16;
  const heard = most + request.samples * SAMPLE_SECONDS;
  return {
    prompt: {
      promptTokens: isTokens ? promptTokens : 0,
      audioPromptTokens: isTokens ? Math.ceil(heard * TOKENS_PER_SECOND_MAX) : 0,
      writesAudio: false,
    },
    meters: [{ meter: "second", quantity: most }],
    completionTokensMax: isTokens ? Math.ceil(most * TEXT_PER_SECOND_MAX) + TEXT_ADDED : 0,
    choices: 1,
    asksToThink: false,
    isWhole: true,
  };
}

/** The sound was heard for whatever was delivered of its text. */
export function measureTranscription(request: TranscriptionRequest, facts: MediaFacts | null): BilledUsage {
  const { seconds, isEstimated } = secondsOf(request, facts);
  const meters: MeterUsage[] = [{ meter: "second", quantity: seconds }];
  if (facts?.usage) return reported(facts.usage, meters);
  if (!COUNTS_TOKENS.test(request.model)) return counted({ promptTokens: 0, completionTokens: 0 }, meters, isEstimated);
  const audioPromptTokens = Math.ceil(seconds * TOKENS_PER_SECOND);
  const completionTokens = facts === null ? 0 : Math.ceil(seconds * TEXT_PER_SECOND);
  return { ...counted({ promptTokens: audioPromptTokens, completionTokens }, meters, true), audioPromptTokens };
}

/**
 * As reported, else as the header says, else to the end of the last subtitle or by the size of the file, begun seconds
 * counted whole. Of a report beyond the reservation the reserved part is believed where the file could be as long.
 */
function secondsOf(request: TranscriptionRequest, facts: MediaFacts | null): { seconds: number; isEstimated: boolean } {
  const { duration, file } = request;
  const { length } = file.file;
  const most = secondsMax(request);
  const told = facts?.seconds ?? 0;
  if (told > 0 && told <= most) return { seconds: Math.ceil(told), isEstimated: false };
  const isPossible = duration?.isCompressed === true && told <= length / BYTES_PER_SECOND_MIN;
  if (told > 0 && isPossible) return { seconds: most, isEstimated: true };
  const known = duration?.seconds ?? 0;
  const heard = facts?.lastCue ?? 0;
  // Models end the last subtitle with the half minute that they listened to.
  if (heard > 0 && heard <= most && heard > known * SLACK + CUE_SLACK)
    return { seconds: Math.ceil(heard), isEstimated: true };
  if (duration) return { seconds: Math.max(1, Math.ceil(known)), isEstimated: told > 0 };
  return { seconds: Math.max(1, Math.ceil(length / BYTES_PER_SECOND)), isEstimated: true };
}
