import type { Citation } from "../../canonical/citation";
import type { AssistantPart } from "../../canonical/request";
import { readCount } from "../../canonical/usage";

/** A citation whose place nobody tells stands for all the text so far. */
export function placeOf(start: unknown, end: unknown, length: number): { start: number; end: number } {
  const from = readCount(start);
  const to = readCount(end);
  return from === null || to === null || to <= from ? { start: 0, end: length } : { start: from, end: to };
}

export function moved(citation: Citation, by: number): Citation {
  const start = Math.max(0, citation.start + by);
  return { ...citation, start, end: Math.max(start, citation.end + by) };
}

/** For formats that count places from the beginning of each part: counts them from the beginning of all text. */
export function countThrough(content: readonly AssistantPart[]): AssistantPart[] {
  let before = 0;
  return content.map((part) => {
    if (part.type !== "text") return part;
    const by = before;
    before += part.text.length;
    if (!part.citations || by === 0) return part;
    return { ...part, citations: part.citations.map((citation) => moved(citation, by)) };
  });
}

/** The citations of a part, counted from its own beginning. `before`: the length of the text before the part. */
export function countFrom(citations: readonly Citation[], before: number): Citation[] {
  return citations.map((citation) => moved(citation, -before));
}
