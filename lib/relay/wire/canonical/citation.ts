/** What a stretch of an answer's text rests on. */
export type Citation = {
  /** The stretch, in UTF-16 units from the beginning of all text of the choice, or of the message in history. */
  start: number;
  end: number;
  /** Absent = a document of the request. */
  url?: string;
  title?: string;
  /** The words of the source. */
  quote?: string;
};

/** A search that the upstream made for an answer. */
export type Search = { id: string; queries: readonly string[]; sources: readonly SearchSource[] };
export type SearchSource = { url: string; title?: string };
