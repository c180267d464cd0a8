import type { OperationId } from "@/lib/operations";
import { operationOfName } from "@/lib/provider-catalogue/channel-tests";

/** Names that tell what a model is for, where no channel test asks for it or where it is for more than one thing. */
const NAMED: readonly (readonly [OperationId, RegExp])[] = [
  ["image_edits", /^(gpt-image|dall-e-2|qwen-image-edit)/i],
  ["transcriptions", /whisper|transcribe|sensevoice/i],
  ["realtime", /realtime/i],
  ["drawing", /^mj_imagine$/],
  ["music", /^suno_(music|lyrics)$/],
  ["videos", /^(sora|veo|kling|hailuo|seedance|vidu)|(^|[-_/])(t2v|i2v|video)([-_]|$)/i],
];
/** Steps of a drawing; none of them is a request that begins with nothing. */
const STEPS = /^(mj_|swap_face$)/;

/** What a model is asked for, as far as its name tells; conversations where it does not. */
export function operationsOfModel(name: string): OperationId[] {
  const others = NAMED.filter(([, names]) => names.test(name)).map(([operation]) => operation);
  if (others.length === 0 && STEPS.test(name)) return [];
  const tested = operationOfName(name);
  // Only pictures are made by models that do something else as well.
  const found = tested !== null && (others.length === 0 || tested === "images") ? [tested, ...others] : others;
  return found.length === 0 ? ["chat"] : found;
}
