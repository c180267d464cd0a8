import { asObject, type Json } from "../wire";

export type TextVector = { text: string; vector: readonly number[] };

/** What an embeddings call gave: all numbers at once, only the first of them from the history. */
export type Embedded = {
  texts: readonly { text: string; dimensions: number; first: readonly number[] }[];
  /** Cosine of each text with each of the first texts. */
  similarity: readonly (readonly number[])[];
  /** The whole vectors; null = they are no longer known. */
  vectors: readonly TextVector[] | null;
};

export const TEXTS_MAX = 100;
const FIRST = 8;
/** Beyond this many texts the table would be unreadable. */
const COMPARED_MAX = 12;

/** The texts of a field with one on each line. */
export function readLines(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/** Null = the answer has not one vector for each text. */
export function readEmbeddings(json: Json, texts: readonly string[]): Embedded | null {
  const data = Array.isArray(json.data) ? json.data.map(asObject) : [];
  const byIndex = new Map(data.map(({ index, embedding }, at) => [typeof index === "number" ? index : at, embedding]));
  const vectors: TextVector[] = [];
  for (const [at, text] of texts.entries()) {
    const vector = byIndex.get(at);
    if (!Array.isArray(vector) || !vector.every((value) => typeof value === "number")) return null;
    vectors.push({ text, vector });
  }
  const compared = vectors.slice(0, COMPARED_MAX);
  return {
    texts: vectors.map(({ text, vector }) => ({ text, dimensions: vector.length, first: vector.slice(0, FIRST) })),
    similarity: compared.map((one) => compared.map((other) => cosine(one.vector, other.vector))),
    vectors,
  };
}

/** −1 to 1; 0 where one of them is nothing but zeros. */
export function cosine(one: readonly number[], other: readonly number[]): number {
  let dot = 0;
  let ownSquare = 0;
  let otherSquare = 0;
  for (let at = 0; at < one.length; at++) {
    const a = one[at] ?? 0;
    const b = other[at] ?? 0;
    dot += a * b;
    ownSquare += a * a;
    otherSquare += b * b;
  }
  const size = Math.sqrt(ownSquare * otherSquare);
  return size === 0 ? 0 : Math.max(-1, Math.min(1, dot / size));
}

export type KeptEmbedded = Pick<Embedded, "texts" | "similarity">;

export const keepEmbedded = ({ texts, similarity }: Embedded): KeptEmbedded => ({ texts, similarity });

export function isKeptEmbedded(value: unknown): value is KeptEmbedded {
  const { texts, similarity } = asObject(value);
  const isText = (item: unknown) => {
    const { text, dimensions, first } = asObject(item);
    return typeof text === "string" && typeof dimensions === "number" && isNumbers(first);
  };
  return Array.isArray(texts) && texts.every(isText) && Array.isArray(similarity) && similarity.every(isNumbers);
}

const isNumbers = (value: unknown) => Array.isArray(value) && value.every((item) => typeof item === "number");
