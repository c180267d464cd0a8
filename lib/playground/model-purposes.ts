import { bareName, factsOf } from "@/lib/billing/model-facts";
import type { MeterPrices } from "@/lib/meters";
import type { MediaOperation, PlaygroundOperation } from "./types";

/** What makers call their models, where nothing else tells. */
const NAMES: Readonly<Record<MediaOperation | "other", RegExp>> = {
  images:
    /dall-e|gpt-image|imagen|flux|stable-diffusion|sdxl|^sd3|cogview|seedream|seededit|kolors|hidream|recraft|ideogram|wanx|t2i|qwen-image|z-image|irag|[-.]image(-|$)/,
  speech: /(^|[-_/.])tts|text-to-speech|^speech-\d|cosyvoice|sambert|fish-speech|indextts|moss-ttsd/,
  transcriptions: /whisper|transcribe|(^|[-_])asr|sensevoice|paraformer|telespeech/,
  embeddings: /embed|^m3e|^bge-(?!reranker)|^tao-8k|^gte-(?!rerank)|^e5-/,
  other: /rerank|moderation|realtime|^sora|^veo|^kling|^suno|^mj_|^swap_face|-ocr-/,
};

const METERS: Readonly<Record<string, MediaOperation>> = {
  picture: "images",
  character: "speech",
  second: "transcriptions",
};

/**
 * What a model is for, by its name, by what its maker publishes and by what it is charged for. Most models do nothing but
 * talk.
 */
export function purposesOf(model: string, meterPrices: MeterPrices = {}): ReadonlySet<PlaygroundOperation> {
  const name = bareName(model);
  if (NAMES.other.test(name)) return new Set();
  const found = new Set<PlaygroundOperation>();
  for (const operation of ["images", "speech", "transcriptions", "embeddings"] as const) {
    if (NAMES[operation].test(name)) found.add(operation);
  }
  const { output = [] } = factsOf(model);
  if (output.includes("image")) found.add("images");
  if (found.size === 0) addCharged(found, meterPrices);
  const isTalker = output.includes("text") && (output.length > 1 || found.size === 0);
  if (found.size === 0 || isTalker) found.add("chat");
  return found;
}

/** A name that says nothing: a price per picture is that of a model that draws. */
function addCharged(found: Set<PlaygroundOperation>, meterPrices: MeterPrices): void {
  for (const key of Object.keys(meterPrices)) {
    const operation = METERS[key.split(":")[0] ?? ""];
    if (operation) found.add(operation);
  }
}
