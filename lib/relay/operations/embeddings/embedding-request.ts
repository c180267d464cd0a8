import type { Json } from "../../wire/canonical/json";
import { InvalidRequest } from "../../wire/canonical/wire-error";
import type { Reading } from "../documents/document-format";
import { contentOf } from "../documents/read-content";

/** What a text is embedded for. */
export type Purpose = "query" | "document" | "classification" | "clustering" | "similarity";

/** A text, a text as tokens, or something that only upstreams of the same format understand. */
export type Input = string | readonly number[] | Json;

/** A request for embeddings, independent of the wire format. */
export type EmbeddingRequest = {
  model: string;
  inputs: readonly Input[];
  /** Null = as many as the model has. */
  dimensions: number | null;
  encoding: "float" | "base64";
  /** Null = the caller did not say. */
  purpose: Purpose | null;
  /** What only upstreams of the same format know, by its name in the request. */
  ownField: string | null;
  /** What is read beside the inputs, such as an instruction or a title. */
  beside: readonly Reading[];
  /** The caller's format has one vector in another place than several. */
  isSingle?: boolean;
};

/** One vector for each input: as numbers, or as base64 of 32-bit floats. */
export type Embeddings = readonly (readonly number[] | string)[];

export const INPUTS_MAX = 10_000;

/** The inputs as texts. Throws InvalidRequest where one is something else. */
export function textInputs({ inputs, ownField }: EmbeddingRequest): readonly string[] {
  if (ownField !== null) throw new InvalidRequest(`the model's upstream has no ${ownField}`, ownField);
  return inputs.map((input) => {
    if (typeof input === "string") return input;
    throw new InvalidRequest("the model's upstream takes texts only, neither tokens nor pictures", "input");
  });
}

export function readings({ inputs, beside }: EmbeddingRequest): { readings: readonly Reading[]; tokens: number } {
  const content = { texts: [], tokens: 0 };
  let tokens = 0;
  for (const input of inputs) {
    if (isTokens(input)) tokens += input.length;
    else contentOf(input, content);
  }
  return { readings: [{ texts: content.texts, times: 1 }, ...beside], tokens: tokens + content.tokens };
}

/** Most models have as many. */
const USUAL_DIMENSIONS = 1_536;
const BYTES_OF_NUMBER = { float: 16, base64: 6 };

export function answerBytes({ inputs, dimensions, encoding }: EmbeddingRequest): number {
  return inputs.length * (dimensions ?? USUAL_DIMENSIONS) * BYTES_OF_NUMBER[encoding];
}

/** All texts of a request; tokens are none. */
export function wordsOf(request: EmbeddingRequest): readonly string[] {
  return readings(request).readings.flatMap(({ texts }) => texts);
}

export function isTokens(input: unknown): input is readonly number[] {
  return Array.isArray(input) && input.length > 0 && input.every((token) => Number.isInteger(token) && token >= 0);
}
