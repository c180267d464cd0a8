import type { Citation } from "../../canonical/citation";
import { type Json, readArray, readObject, readText } from "../../canonical/json";
import { defined } from "../common/defined";

/** A citation of a block is about all of its text. */
export function decodeCitation(value: unknown, start: number, end: number): Citation {
  const { type, url, title, document_title: document, source, cited_text: quote } = readObject(value);
  const address = readText(url) || (type === "search_result_location" ? readText(source) : "");
  return defined({
    start,
    end,
    url: address || undefined,
    title: readText(title) || readText(document) || undefined,
    quote: readText(quote) || undefined,
  });
}

/** The citations of a text block, in a text of its own; undefined = none. */
export function decodeCitations({ citations, text }: Json): Citation[] | undefined {
  const found = readArray(citations).map((value) => decodeCitation(value, 0, readText(text).length));
  return found.length > 0 ? found : undefined;
}

/** Without the mark by which Anthropic knows its own sources again. Null = a document, which its callers know by number. */
export function renderCitation({ url, title, quote = "" }: Citation): Json | null {
  if (url === undefined) return null;
  return { type: "web_search_result_location", url, title: title ?? null, encrypted_index: "", cited_text: quote };
}

/** Null = there are none. */
export function renderCitations(citations: readonly Citation[] = []): Json[] | null {
  const rendered = citations.flatMap((citation): Json[] => {
    const found = renderCitation(citation);
    return found ? [found] : [];
  });
  return rendered.length > 0 ? rendered : null;
}
