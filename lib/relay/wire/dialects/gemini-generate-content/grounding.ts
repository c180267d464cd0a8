import type { Citation, Search, SearchSource } from "../../canonical/citation";
import { type Json, readArray, readObject, readText } from "../../canonical/json";
import { readCount } from "../../canonical/usage";
import { defined } from "../common/defined";
import { recount } from "../common/utf8";
import { field, objectField } from "./fields";

/** What a candidate says of its sources. */
export type Grounding = { citations: Citation[]; search: Search | null };

/** One source can stand behind many stretches: what is written for each of them must not grow beyond what was read. */
const CITATIONS_MAX = 2_000;
const SOURCE_TEXT_MAX = 2_000;

type Stretch = { start: number; end: number; source: Omit<Citation, "start" | "end"> };

/** `text`: all text of the candidate, because places are counted in its bytes. `id`: of the search. */
export function readGrounding(candidate: Json, text: string, id: string): Grounding {
  const metadata = objectField(candidate, "groundingMetadata");
  const chunks = readArray(field(metadata, "groundingChunks")).map((chunk) => sourceOf(readObject(chunk)));
  const all = [...supportsOf(metadata, chunks), ...citedOf(objectField(candidate, "citationMetadata"))];
  const stretches = all.slice(0, CITATIONS_MAX);
  const units = recount(
    text,
    stretches.flatMap(({ start, end }) => [start, end]),
    "bytes",
  );
  const citations = stretches.map(({ start, end, source }) => ({
    start: units.get(start) ?? 0,
    end: units.get(end) ?? text.length,
    ...source,
  }));
  return { citations, search: readSearch(metadata, chunks, id) };
}

function sourceOf(chunk: Json): Stretch["source"] {
  const { uri, title } = objectField(chunk, "web");
  if (readText(uri) !== "") return defined({ url: readText(uri).slice(0, SOURCE_TEXT_MAX), title: shortText(title) });
  const found = objectField(chunk, "retrievedContext");
  return defined({ title: shortText(found.title), quote: shortText(found.text) });
}

function shortText(value: unknown): string | undefined {
  return readText(value).slice(0, SOURCE_TEXT_MAX) || undefined;
}

function supportsOf(metadata: Json, chunks: readonly Stretch["source"][]): Stretch[] {
  return readArray(field(metadata, "groundingSupports")).flatMap((value): Stretch[] => {
    const support = readObject(value);
    const segment = objectField(support, "segment");
    const start = readCount(field(segment, "startIndex")) ?? 0;
    const end = readCount(field(segment, "endIndex")) ?? Number.POSITIVE_INFINITY;
    return readArray(field(support, "groundingChunkIndices")).flatMap((index) => {
      const source = typeof index === "number" ? chunks[index] : undefined;
      return source ? [{ start, end, source }] : [];
    });
  });
}

/** Recitations: Google names them in either way. */
function citedOf(metadata: Json): Stretch[] {
  const given = field(metadata, "citationSources") ?? metadata.citations;
  return readArray(given).flatMap((value): Stretch[] => {
    const { uri, title, ...place } = readObject(value);
    if (readText(uri) === "") return [];
    const start = readCount(field(place, "startIndex")) ?? 0;
    const end = readCount(field(place, "endIndex")) ?? Number.POSITIVE_INFINITY;
    return [{ start, end, source: defined({ url: readText(uri), title: readText(title) || undefined }) }];
  });
}

/** Each is a search to Google. */
export function countQueries(candidate: Json): number {
  return queriesOf(objectField(candidate, "groundingMetadata")).length;
}

function queriesOf(metadata: Json): string[] {
  return readArray(field(metadata, "webSearchQueries")).filter((query) => typeof query === "string");
}

function readSearch(metadata: Json, chunks: readonly Stretch["source"][], id: string): Search | null {
  const queries = queriesOf(metadata);
  if (queries.length === 0) return null;
  const sources = chunks.flatMap(({ url, title }): SearchSource[] =>
    url === undefined ? [] : [title === undefined ? { url } : { url, title }],
  );
  return { id, queries, sources };
}

type Support = { segment: Json; groundingChunkIndices: number[] };

/** Undefined = there is nothing to say. */
export function renderGrounding(
  text: string,
  citations: readonly Citation[],
  searches: readonly Search[],
): Json | undefined {
  if (citations.length === 0 && searches.length === 0) return undefined;
  const chunks = new Map<string, number>();
  const groundingChunks: Json[] = [];
  const indexOf = (key: string, chunk: Json): number => {
    const known = chunks.get(key);
    if (known !== undefined) return known;
    chunks.set(key, groundingChunks.length);
    return groundingChunks.push(chunk) - 1;
  };
  const bytes = recount(
    text,
    citations.flatMap(({ start, end }) => [start, end]),
    "units",
  );
  const supports = new Map<string, Support>();
  // Stretches may overlap; the words are repeated only as long as that is little.
  let room = 2 * text.length;
  for (const { start, end, url, title, quote } of citations) {
    const chunk =
      url === undefined ? { retrievedContext: defined({ title, text: quote }) } : { web: defined({ uri: url, title }) };
    const index = indexOf(url ?? `${title} ${quote}`, chunk);
    const key = `${start} ${end}`;
    room -= end - start;
    const words = room >= 0 ? { text: text.slice(start, end) } : {};
    const segment = { startIndex: bytes.get(start) ?? 0, endIndex: bytes.get(end) ?? 0, ...words };
    const support: Support = supports.get(key) ?? { segment, groundingChunkIndices: [] };
    supports.set(key, support);
    if (support.groundingChunkIndices.at(-1) !== index) support.groundingChunkIndices.push(index);
  }
  for (const { url, title } of searches.flatMap(({ sources }) => sources)) {
    indexOf(url, { web: defined({ uri: url, title }) });
  }
  const queries = searches.flatMap((search) => search.queries);
  return defined({
    webSearchQueries: queries.length > 0 ? queries : undefined,
    groundingChunks,
    groundingSupports: [...supports.values()],
  });
}
