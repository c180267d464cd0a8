import type { Embeddings } from "./embedding-request";

const FLOAT_BYTES = 4;

export function toBase64(vector: readonly number[]): string {
  const bytes = Buffer.allocUnsafe(vector.length * FLOAT_BYTES);
  for (const [at, value] of vector.entries()) bytes.writeFloatLE(value, at * FLOAT_BYTES);
  return bytes.toString("base64");
}

export function toNumbers(text: string): number[] {
  const bytes = Buffer.from(text, "base64");
  const numbers: number[] = [];
  for (let at = 0; at + FLOAT_BYTES <= bytes.length; at += FLOAT_BYTES) numbers.push(bytes.readFloatLE(at));
  return numbers;
}

export function inEncoding(vector: Embeddings[number], encoding: "float" | "base64"): Embeddings[number] {
  if (encoding === "base64") return typeof vector === "string" ? vector : toBase64(vector);
  return typeof vector === "string" ? toNumbers(vector) : vector;
}

/** A vector of an answer; null = it is none. */
export function readVector(value: unknown): Embeddings[number] | null {
  if (typeof value === "string") return value === "" ? null : value;
  if (!Array.isArray(value) || value.length === 0) return null;
  return value.every((item) => typeof item === "number") ? value : null;
}

/** Null unless there is one for each input. */
export function readVectors(values: readonly unknown[], count: number): Embeddings | null {
  const vectors = values.map(readVector);
  return vectors.length === count && vectors.every((vector) => vector !== null) ? vectors : null;
}
