import type { Json } from "../../canonical/json";
import { InvalidRequest } from "../../canonical/wire-error";
import type { Reading } from "../documents/document-format";

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
  /** The caller's format has one vector in another place than several. */
  isSingle?: boolean;
};

/** One vector for each input: as numbers, or as base64 of 32-bit floats. */
export type Embeddings = readonly (readonly number[] | string)[];

export const INPUTS_MAX = 10_000;

/** A picture takes some thousand tokens at most. */
const OTHER_TOKENS = 5_000;

/** The inputs as texts. Throws InvalidRequest where one is something else. */
export function textInputs({ inputs, ownField }: EmbeddingRequest): readonly string[] {
  if (ownField !== null) throw new InvalidRequest(`the model's upstream has no ${ownField}`, ownField);
  return inputs.map((input) => {
    if (typeof input === "string") return input;
    throw new InvalidRequest("the model's upstream takes texts only, neither tokens nor pictures", "input");
  });
}

export function readings({ inputs }: EmbeddingRequest): { readings: readonly Reading[]; tokens: number } {
  const texts = inputs.filter((input) => typeof input === "string");
  const tokens = inputs.reduce((sum, input) => {
    if (typeof input === "string") return sum;
    return sum + (isTokens(input) ? input.length : OTHER_TOKENS);
  }, 0);
  return { readings: [{ texts, times: 1 }], tokens };
}

export function isTokens(input: unknown): input is readonly number[] {
  return Array.isArray(input) && input.length > 0 && input.every((token) => Number.isInteger(token) && token >= 0);
}
