import type { Citation } from "../../canonical/citation";
import { type Json, readArray, readObject, readText } from "../../canonical/json";
import { placeOf } from "../common/citation-place";
import { defined } from "../common/defined";

/** The citations of a message. `length`: of its text so far. */
export function decodeAnnotations(annotations: unknown, length: number): Citation[] {
  return readArray(annotations).flatMap((value): Citation[] => {
    const { type, url_citation: given } = readObject(value);
    const { url, title, content, start_index: start, end_index: end } = readObject(given);
    if (type !== "url_citation" || readText(url) === "") return [];
    return [citation(placeOf(start, end, length), url, title, content)];
  });
}

/** The list of sources that Perplexity has beside the choices. */
export function decodeSources({ search_results: results, citations }: Json, length: number): Citation[] {
  const place = placeOf(null, null, length);
  const told = readArray(results).map(readObject);
  const urls = readArray(citations).map((url): Json => ({ url }));
  return (told.length > 0 ? told : urls).flatMap(({ url, title, snippet }) =>
    readText(url) === "" ? [] : [citation(place, url, title, snippet)],
  );
}

function citation(place: { start: number; end: number }, url: unknown, title: unknown, quote: unknown): Citation {
  return defined({
    ...place,
    url: readText(url),
    title: readText(title) || undefined,
    quote: readText(quote) || undefined,
  });
}

/** Null = a source without an address has no place in this format. */
export function encodeAnnotation({ start, end, url, title = "", quote }: Citation): Json | null {
  if (url === undefined) return null;
  const found = defined({ start_index: start, end_index: end, title, url, content: quote });
  return { type: "url_citation", url_citation: found };
}
