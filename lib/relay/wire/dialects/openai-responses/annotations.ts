import type { Citation } from "../../canonical/citation";
import { type Json, readArray, readObject, readText } from "../../canonical/json";
import { placeOf } from "../common/citation-place";
import { defined } from "../common/defined";

/** Null = it has no address, which no other format can do anything with. `length`: of the part's text. */
export function decodeAnnotation(value: unknown, length: number): Citation | null {
  const { type, url, title, start_index: start, end_index: end } = readObject(value);
  if (type !== "url_citation" || readText(url) === "") return null;
  return defined({ ...placeOf(start, end, length), url: readText(url), title: readText(title) || undefined });
}

/** The citations of a part's text; undefined = none. */
export function decodeAnnotations({ annotations, text }: Json): Citation[] | undefined {
  const found = readArray(annotations).flatMap((value) => decodeAnnotation(value, readText(text).length) ?? []);
  return found.length > 0 ? found : undefined;
}

/** Null = a source without an address has no place in this format. */
export function encodeAnnotation({ start, end, url, title = "" }: Citation): Json | null {
  return url === undefined ? null : { type: "url_citation", start_index: start, end_index: end, url, title };
}

export function encodeAnnotations(citations: readonly Citation[]): Json[] {
  return citations.flatMap((citation): Json[] => {
    const annotation = encodeAnnotation(citation);
    return annotation ? [annotation] : [];
  });
}
