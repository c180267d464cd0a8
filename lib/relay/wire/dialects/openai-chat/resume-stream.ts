import { type Json, readArray, readObject, readText } from "../../canonical/json";
import type { Frame } from "../../canonical/machine";
import { parseJsonObject } from "../common/json-text";
import { isGiven } from "../common/option-rule";
import { isFilled } from "../common/reported-error";
import type { RenderContext, ResumedStream } from "../dialect";
import { reasoningText } from "./reasoning-details";
import { createStreamRenderer } from "./render-stream";

/** What a delta may hold besides nothing. Everything else, calls and signed thoughts above all, has only one author. */
const PLAIN_KEYS = new Set(["role", "content", "reasoning_content", "reasoning"]);
/** What a choice may hold beside its delta: Azure's remarks on its text. */
const REMARKS = new Set(["index", "delta", "content_filter_results", "content_filter_offsets"]);

export function isContinuable({ n, logprobs, modalities, web_search_options: search }: Json): boolean {
  return (n ?? 1) === 1 && !isFilled(logprobs) && !isGiven(search) && !readArray(modalities).includes("audio");
}

/** Reads the frames that the client has. Null = the stream cannot be continued. */
export function resumeStream(frames: readonly Frame[], context: RenderContext): ResumedStream | null {
  let head: Json | null = null;
  let text = "";
  let thoughts = "";
  for (const { data } of frames) {
    const json = parseJsonObject(data);
    if (!json || isFilled(json.citations) || isFilled(json.search_results)) return null;
    const choices = readArray(json.choices).map(readObject);
    for (const choice of choices) {
      const delta = readObject(choice.delta);
      if (!isPlain(choice, delta)) return null;
      text += readText(delta.content);
      thoughts += reasoningText(delta);
    }
    if (choices.length > 0) head ??= json;
  }
  if (!head || text + thoughts === "") return null;
  const { id, model, created: createdAt } = head;
  const renderer = createStreamRenderer({
    ...context,
    answerId: readText(id),
    model: readText(model) || context.model,
    createdAt: typeof createdAt === "number" ? createdAt : context.createdAt,
  });
  // Opens the choice, which the client has.
  renderer.step({ type: "start", id: readText(id), model: readText(model) });
  return { text, thoughts, renderer };
}

function isPlain(choice: Json, delta: Json): boolean {
  if ((choice.index ?? 0) !== 0 || (isFilled(delta.content) && typeof delta.content !== "string")) return false;
  const hasOnly = (value: Json, keys: ReadonlySet<string>): boolean =>
    Object.entries(value).every(([key, inner]) => keys.has(key) || !isFilled(inner));
  return hasOnly(choice, REMARKS) && hasOnly(delta, PLAIN_KEYS);
}
