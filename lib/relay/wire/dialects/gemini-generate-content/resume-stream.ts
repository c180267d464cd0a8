import { type Json, readArray, readObject, readText } from "../../canonical/json";
import type { Frame } from "../../canonical/machine";
import { parseJsonObject } from "../common/json-text";
import { isFilled } from "../common/reported-error";
import type { RenderContext, ResumedStream } from "../dialect";
import { modalitiesOf } from "./facts";
import { field, generationConfig, partsOf } from "./fields";
import { createStreamRenderer } from "./render-stream";
import { decodeWebSearch } from "./web-search";

/** What a part may hold besides nothing. Everything else, calls and signatures above all, has only one author. */
const PLAIN_KEYS = new Set(["text", "thought"]);
/** What a candidate may hold besides its content. */
const REMARKS = new Set(["index", "content", "safetyRatings", "tokenCount", "avgLogprobs"]);

export function isContinuable(json: Json): boolean {
  const config = generationConfig(json);
  const isOne = (field(config, "candidateCount") ?? 1) === 1;
  if (decodeWebSearch(json)) return false;
  return isOne && !isFilled(field(config, "responseLogprobs")) && modalitiesOf(json).every((kind) => kind === "TEXT");
}

/** Reads the frames that the client has. Null = the stream cannot be continued. */
export function resumeStream(frames: readonly Frame[], context: RenderContext): ResumedStream | null {
  let head: Json | null = null;
  const said = { text: "", thoughts: "" };
  for (const { data } of frames) {
    const json = parseJsonObject(data);
    if (!json || isFilled(json.promptFeedback) || isFilled(json.error)) return null;
    const candidates = readArray(json.candidates).map(readObject);
    if (!candidates.every((candidate) => addCandidate(said, candidate))) return null;
    if (candidates.length > 0) head ??= json;
  }
  const { text, thoughts } = said;
  if (!head || text + thoughts === "") return null;
  const id = readText(head.responseId);
  const model = readText(head.modelVersion) || context.model;
  return { text, thoughts, renderer: createStreamRenderer({ ...context, answerId: id, model }) };
}

/** False = the stream cannot be continued. */
function addCandidate(said: { text: string; thoughts: string }, candidate: Json): boolean {
  if ((candidate.index ?? 0) !== 0 || !hasOnly(candidate, REMARKS)) return false;
  for (const part of partsOf(candidate.content)) {
    if (!hasOnly(part, PLAIN_KEYS)) return false;
    // Thoughts after text would be joined with those before it.
    if (part.thought === true && said.text !== "") return false;
    if (part.thought === true) said.thoughts += readText(part.text);
    else said.text += readText(part.text);
  }
  return true;
}

function hasOnly(value: Json, keys: ReadonlySet<string>): boolean {
  return Object.entries(value).every(([key, inner]) => keys.has(key) || !isFilled(inner));
}
