import type { BilledUsage } from "@/lib/billing/types";
import type { MeterUsage } from "@/lib/meters";
import { TESTED_MODELS } from "@/lib/provider-catalogue/channel-tests";
import { addUsage, type MediaFacts } from "../../answers/media/media-facts";
import { countTokens } from "../../base/tokens/count-tokens";
import { readObject, readText } from "../../wire/canonical/json";
import { InvalidRequest } from "../../wire/canonical/wire-error";
import { readOpenaiUsage } from "../../wire/dialects/common/openai/openai-usage";
import { readModel } from "../../wire/dialects/common/request-fields";
import { openaiCaller } from "../documents/document-fields";
import { mediaOperation } from "../media/define-media";
import { fieldsOf } from "../media/media-fields";
import type { MediaRequest, MediaSource } from "../media/media-kind";
import { counted, reported } from "../media/media-usage";
import type { Need } from "../operation";

type SpeechRequest = MediaRequest & { input: string; instructions: string; format: string };

/** Contract §4.1. */
const USUAL_MODEL = "tts-1";
const INPUT_MAX = 100_000;
const INSTRUCTIONS_MAX = 65_536;

/** Models whose price is per token. They report tokens in their event streams only. */
const COUNTS_TOKENS = /^(gpt-.*tts|gemini)/;
/** Models that never do. All others may, by whatever name an operator gives them. */
const COUNTS_CHARACTERS = /^(tts-1|cosyvoice)/;
/** A second of speech has about 15 bytes of text and 21 tokens. */
const TOKENS_PER_BYTE = 1.4;
/** Slow speech, and what instructions add to it. */
const TOKENS_PER_BYTE_MAX = 6;
const TOKENS_ADDED = 200;
const BYTES_PER_TOKEN = 2;

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  mp3: "audio/mpeg",
  opus: "audio/ogg",
  aac: "audio/aac",
  flac: "audio/flac",
  wav: "audio/wav",
  pcm: "audio/pcm",
};

function read(source: MediaSource): SpeechRequest {
  if ("form" in source) throw new InvalidRequest("the request body must be JSON");
  const fields = fieldsOf(source);
  const input = fields.text("input", INPUT_MAX) ?? "";
  if (input === "") throw new InvalidRequest("input must be a text", "input");
  const streamFormat = fields.text("stream_format", 32) ?? "audio";
  if (streamFormat !== "audio" && streamFormat !== "sse") {
    throw new InvalidRequest("stream_format must be audio or sse", "stream_format");
  }
  return {
    model: readModel(source.json.model ?? USUAL_MODEL),
    isStream: streamFormat === "sse",
    input,
    instructions: fields.text("instructions", INSTRUCTIONS_MAX) ?? "",
    format: fields.text("response_format", 32) ?? "mp3",
  };
}

/** As providers count: characters, not bytes. */
function charactersOf({ input }: SpeechRequest): MeterUsage[] {
  return [{ meter: "character", quantity: [...input].length }];
}

function needOf(request: SpeechRequest): Need {
  const isTokens = !COUNTS_CHARACTERS.test(request.model);
  const input = Buffer.byteLength(request.input);
  const all = input + Buffer.byteLength(request.instructions);
  return {
    prompt: {
      promptTokens: isTokens ? Math.ceil(all / BYTES_PER_TOKEN) + 16 : 0,
      audioPromptTokens: 0,
      writesAudio: true,
      isUncached: true,
    },
    meters: charactersOf(request),
    completionTokensMax: isTokens ? Math.ceil(input * TOKENS_PER_BYTE_MAX) + TOKENS_ADDED : 0,
    choices: 1,
    asksToThink: false,
    isWhole: true,
  };
}

/** The text was read for whatever was delivered of it. */
async function measure(request: SpeechRequest, facts: MediaFacts | null): Promise<BilledUsage> {
  const meters = charactersOf(request);
  if (facts?.usage) return reported(facts.usage, meters);
  if (!COUNTS_TOKENS.test(request.model)) return counted({ promptTokens: 0, completionTokens: 0 }, meters, false);
  const { input, instructions, model } = request;
  const promptTokens = Math.max(1, await countTokens([input, instructions], model));
  const completionTokens = facts === null ? 0 : Math.ceil(Buffer.byteLength(input) * TOKENS_PER_BYTE);
  return counted({ promptTokens, completionTokens }, meters, true);
}

/** Speech, as bytes or as events. */
export const speech = mediaOperation<SpeechRequest>(
  {
    operation: "speech",
    clientDialect: openaiCaller("invalid_audio_request"),
    paths: ["/v1/audio/speech"],
    formats: new Map(),
    read,
    rename: (request, model) => ({ ...request, model }),
    words: ({ input, instructions }) => (instructions === "" ? [input] : [input, instructions]),
    need: needOf,
    expects: ({ format }) => ({ what: "sound", contentType: CONTENT_TYPES[format] ?? "application/octet-stream" }),
    readFacts: (json, into) => addUsage(into, readOpenaiUsage(json.usage)),
    hasAnswer: ({ audio }) => readText(audio) !== "" || Object.keys(readObject(audio)).length > 0,
    beginning: null,
    test: {
      path: "/v1/audio/speech",
      models: TESTED_MODELS.speech,
      json: { input: "hi", voice: "alloy" },
      isAnswer: (whole) => whole.length > 0,
    },
    measure,
  },
  { json: true, form: false },
);
