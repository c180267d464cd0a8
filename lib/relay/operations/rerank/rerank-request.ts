import { RelayError } from "../../base/relay-error";
import { type Json, readArray, readObject, readText } from "../../wire/canonical/json";
import { readLimit, readModel } from "../../wire/dialects/common/request-fields";
import type { Reading } from "../documents/document-format";
import { contentOf, textsBeside } from "../documents/read-content";

/** Documents to be put in the order of their relevance to a query, independent of the wire format. */
export type RerankRequest = {
  model: string;
  query: string;
  /** As the caller wrote them: texts, or objects with one. */
  documents: readonly (string | Json)[];
  /** How many are wanted; null = all. */
  topN: number | null;
  returnsDocuments: boolean;
  /** What is read with each document beside the query, such as an instruction. */
  beside: readonly string[];
  /** Documents are cut off there; null = the caller did not say. */
  tokensPerDocument: number | null;
};

export type Ranked = { index: number; score: number };

const DOCUMENTS_MAX = 10_000;

/** Throws InvalidRequest, or RelayError with a code that names the field. */
export function readRerank(json: Json, returnsDocuments: boolean): RerankRequest {
  const model = readModel(json.model);
  if (typeof json.query !== "string" || json.query === "") throw missing("query", "query must be a text");
  const documents = readArray(json.documents);
  const areValid = documents.every((item) => typeof item === "string" || Object.keys(readObject(item)).length > 0);
  if (documents.length === 0 || documents.length > DOCUMENTS_MAX || !areValid) {
    throw missing("documents", `documents must be a list of 1 to ${DOCUMENTS_MAX} texts, or objects with one`);
  }
  return {
    model,
    query: json.query,
    documents: documents as readonly (string | Json)[],
    topN: readLimit(json, "top_n", 1, 2 ** 30),
    returnsDocuments,
    beside: textsBeside(json, ["query", "documents"]),
    tokensPerDocument: readLimit(json, "max_tokens_per_doc", 1, 2 ** 30),
  };
}

function missing(param: "query" | "documents", message: string): RelayError {
  return new RelayError(`invalid_${param}`, message, { param });
}

export function textOfDocument(document: string | Json): string {
  return typeof document === "string" ? document : readText(document.text) || JSON.stringify(document);
}

/** The model reads the query with each document, and may read every field of it. */
export function readings({ query, documents, beside }: RerankRequest): {
  readings: readonly Reading[];
  tokens: number;
} {
  const { texts, tokens } = contentOf(documents);
  return {
    readings: [
      { texts, times: 1 },
      { texts: [query, ...beside], times: documents.length },
    ],
    tokens,
  };
}

/** Null = not the order of these documents. */
export function readRanked(results: unknown, { documents, topN }: RerankRequest): readonly Ranked[] | null {
  const ranked: Ranked[] = [];
  for (const item of readArray(results)) {
    const { index, relevance_score: score } = readObject(item);
    if (typeof index !== "number" || !Number.isInteger(index) || index < 0 || index >= documents.length) return null;
    if (typeof score !== "number") return null;
    ranked.push({ index, score });
  }
  return ranked.length === 0 ? null : ranked.slice(0, topN ?? ranked.length);
}
