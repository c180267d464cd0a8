import { type Json, readArray, readObject } from "../../canonical/json";
import { parseJsonObject } from "../json-text";

/** So many frames are searched for the choices of an answer; they begin in turn. */
const FRAMES_MAX = 256;

/** The end of a stream that the gateway stops: every choice finishes for its length. */
export function cutShort(first: string): string {
  let head: Json = { object: "chat.completion.chunk" };
  const choices = new Set<number>();
  for (const line of first.split("\n", FRAMES_MAX)) {
    const frame = line.startsWith("data:") ? parseJsonObject(line.slice(5)) : null;
    if (!frame) continue;
    const { id, object, created, model } = frame;
    head = { id, object, created, model };
    for (const choice of readArray(frame.choices)) {
      const { index } = readObject(choice);
      if (typeof index === "number") choices.add(index);
    }
  }
  const ends = [...choices].map((index) => ({ index, delta: {}, logprobs: null, finish_reason: "length" }));
  const frames = ends.map((choice) => `data: ${JSON.stringify({ ...head, choices: [choice] })}\n\n`);
  return `${frames.join("")}data: [DONE]\n\n`;
}
