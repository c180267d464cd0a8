import { type Json, readArray, readObject } from "../../canonical/json";
import { parseJsonObject } from "../common/json-text";

/** So many frames are searched for the candidates of an answer; they begin in turn. */
const FRAMES_MAX = 256;

/** The end of a stream that the gateway stops: every candidate finishes for its length. */
export function cutShort(first: string): string {
  let head: Json = {};
  const candidates = new Set<number>();
  for (const line of first.split("\n", FRAMES_MAX)) {
    const frame = line.startsWith("data:") ? parseJsonObject(line.slice(5)) : null;
    if (!frame) continue;
    const { modelVersion, responseId } = frame;
    head = { modelVersion, responseId };
    for (const candidate of readArray(frame.candidates)) {
      const { index } = readObject(candidate);
      candidates.add(typeof index === "number" ? index : 0);
    }
  }
  const ends = [...(candidates.size > 0 ? candidates : [0])].map((index) => ({
    content: { parts: [{ text: "" }], role: "model" },
    finishReason: "MAX_TOKENS",
    index,
  }));
  return `data: ${JSON.stringify({ candidates: ends, ...head })}\n\n`;
}
