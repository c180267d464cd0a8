import { type Json, readList, readObject } from "../../canonical/json";
import { InvalidRequest } from "../../canonical/wire-error";
import { type HostedCalls, hiddenContent, NO_CALLS } from "../common/hidden-content";
import { addMedia, noAttachments, readLimit, TOKENS_MAX } from "../common/request-fields";
import type { Attachments, RequestFacts } from "../dialect";
import { allParts, contentsOf, field, generationConfig, isOwnTool, objectField, toolsOf, usualNames } from "./fields";
import { mediaOf } from "./media";
import { readPath } from "./path";

const CHOICES_MAX = 8;

/** Extracts the fields that decide how a request is handled. Throws InvalidRequest. */
export function readFacts(json: Json, path: string): RequestFacts {
  const { model, isStream } = readPath(path);
  if (contentsOf(json).length === 0) throw new InvalidRequest("contents must be a list", "contents");
  const config = generationConfig(json);
  const attachments = sumAttachments(json, model);
  return {
    model,
    isStream,
    completionTokensMax: readCompletionMax(json),
    choices: readLimit(usualNames(config, ["candidateCount"]), "candidateCount", 0, CHOICES_MAX) || 1,
    attachments,
    hidden: hiddenContent(attachments, hostedCalls(json)),
    writesAudio: modalitiesOf(json).includes("AUDIO"),
    asksToThink: asksToThink(objectField(config, "thinkingConfig")) || model.includes("thinking"),
  };
}

function asksToThink(config: Json): boolean {
  const budget = field(config, "thinkingBudget");
  if (budget === 0) return false;
  return [budget, field(config, "thinkingLevel"), field(config, "includeThoughts")].some(
    (given) => given !== undefined,
  );
}

/** Zero is no limit to Google. Throws InvalidRequest. */
export function readCompletionMax(json: Json): number | null {
  const name = "maxOutputTokens";
  return readLimit(usualNames(generationConfig(json), [name]), name, 0, TOKENS_MAX) || null;
}

/** In capital letters; those who call write them in any way, and as numbers. */
export function modalitiesOf(json: Json): string[] {
  return readList(field(generationConfig(json), "responseModalities")).map((word) => String(word).toUpperCase());
}

function sumAttachments(json: Json, model: string): Attachments {
  const sum = noAttachments();
  for (const part of allParts(json)) {
    const media = mediaOf(readObject(part));
    if (!media) continue;
    const bytes = media.source.type === "base64" ? media.source.data.length : 0;
    addMedia(sum, media.mediaType, bytes, model, AUDIO_BYTES_PER_TOKEN);
  }
  return sum;
}

/** Google counts 32 tokens a second; the lowest rate in use is about a kilobyte of base64 a second. */
const AUDIO_BYTES_PER_TOKEN = 40;

/** Rounds of running code that Google allows for one answer; its other tools bring in what they find at once. */
const CODE_ROUNDS_MAX = 5;

/** Nothing in a request limits them. */
function hostedCalls(json: Json): HostedCalls {
  const names = new Set(
    toolsOf(json)
      .filter((tool) => !isOwnTool(tool))
      .flatMap(Object.keys),
  );
  let most = 0;
  for (const name of names) {
    if (/^(function_?declarations|computer_?use)$/i.test(name)) continue;
    most += /^code_?execution$/i.test(name) ? CODE_ROUNDS_MAX : 1;
  }
  return most === 0 ? NO_CALLS : { most, least: most, tokens: null };
}
