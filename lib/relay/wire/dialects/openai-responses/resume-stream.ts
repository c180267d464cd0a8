import { type Json, readList, readObject, readText } from "../../canonical/json";
import type { Frame } from "../../canonical/machine";
import { parseJsonObject } from "../common/json-text";
import { isGiven } from "../common/option-rule";
import type { RenderContext, ResumedStream } from "../dialect";
import { DeliveredReader } from "./delivered";
import { isOwnTool, isStored } from "./facts";
import { asksForLogprobs } from "./limits";
import { createStreamRenderer } from "./render-stream";
import { toolsOf } from "./tools";

/** A call after thoughts must come with them, which only the upstream that thought them can encrypt. */
export function isContinuable(json: Json): boolean {
  const tools = toolsOf(json);
  const { effort } = readObject(json.reasoning);
  const thinks = isGiven(json.reasoning) && effort !== "none";
  if (isStored(json) || asksForLogprobs(json) || isGiven(json.moderation)) return false;
  return tools.every(isOwnTool) && !(thinks && readList(json.tools).length > 0);
}

/** Reads the frames that the client has. Null = the stream cannot be continued. */
export function resumeStream(frames: readonly Frame[], context: RenderContext): ResumedStream | null {
  const reader = new DeliveredReader();
  for (const { event, data } of frames) {
    const json = parseJsonObject(data);
    if (!json || !reader.read(json, readText(json.type) || event)) return null;
  }
  const { response, text, thoughts, sequence, output, message, thought, isPartial } = reader;
  if (!response || isPartial || text + thoughts === "") return null;
  const { id, model, created_at: createdAt } = response;
  const renderer = createStreamRenderer(
    {
      ...context,
      model: readText(model) || context.model,
      createdAt: typeof createdAt === "number" ? createdAt : context.createdAt,
    },
    { id: readText(id), sequence, output, message, thought },
  );
  return { text, thoughts, renderer };
}
