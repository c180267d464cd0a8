import { type Json, readArray, readObject } from "../../canonical/json";
import { parseJsonObject } from "../common/json-text";

/** So many frames are searched for the choices of an answer; they begin in turn. */
const FRAMES_MAX = 256;

/** The end of a stream that the gateway stops: every choice finishes for its length. */
export function cutShort(first: string): string {
  const endOf = (index: number): Json => ({ index, delta: {}, logprobs: null, finish_reason: "length" });
  return endChoices(first, "chat.completion.chunk", endOf);
}

/** An end for every choice that has begun, and of the stream. `object`: where no frame names it. */
export function endChoices(first: string, object: string, endOf: (index: number) => Json): string {
  let head: Json = { object };
  const choices = new Set<number>();
  for (const line of first.split("\n", FRAMES_MAX)) {
    const frame = line.startsWith("data:") ? parseJsonObject(line.slice(5)) : null;
    if (!frame) continue;
    const { id, created, model } = frame;
    head = { id, object: frame.object, created, model };
    for (const choice of readArray(frame.choices)) {
      const { index } = readObject(choice);
      if (typeof index === "number") choices.add(index);
    }
  }
  const frames = [...choices].map((index) => `data: ${JSON.stringify({ ...head, choices: [endOf(index)] })}\n\n`);
  return `${frames.join("")}data: [DONE]\n\n`;
}
