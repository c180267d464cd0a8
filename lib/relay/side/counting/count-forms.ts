import { type Json, readObject } from "../../wire/canonical/json";
import type { Edits } from "../../wire/dialects/dialect";

/** How clients of a dialect ask for a count. */
export type CountForm = {
  /** Where they POST it. */
  path: RegExp;
  /** The path of the same conversation. */
  promptPath(path: string): string;
  /** The conversation, as its dialect reads it. */
  promptOf(json: Json): Json;
  /** What changes in the body for another model. */
  rename(json: Json, model: string): Edits;
  /** The number in an answer. */
  answerKey: string;
  /** `isText`: there is nothing but text. */
  answer(tokens: number, isText: boolean): object;
};

const anthropic: CountForm = {
  path: /^\/v1\/messages\/count_tokens$/,
  promptPath: () => "/v1/messages",
  // A conversation must have a limit, a count has none.
  promptOf: (json) => ({ ...json, max_tokens: 1 }),
  rename: (_, model) => ({ model }),
  answerKey: "input_tokens",
  answer: (tokens) => ({ input_tokens: tokens }),
};

const google: CountForm = {
  path: /^\/(?:v1|v1beta\d*)\/models\/.+:countTokens$/,
  promptPath: (path) => path.replace(/:countTokens$/, ":generateContent"),
  promptOf: (json) => (wholeRequest(json) === null ? json : readObject(wholeRequest(json))),
  rename(json, model) {
    const request = wholeRequest(json);
    return request === null ? {} : { generateContentRequest: { ...readObject(request), model: `models/${model}` } };
  },
  answerKey: "totalTokens",
  answer: (tokens, isText) => ({
    totalTokens: tokens,
    ...(isText ? { promptTokensDetails: [{ modality: "TEXT", tokenCount: tokens }] } : {}),
  }),
};

/** Google's clients may send the whole request instead of its contents; null = they did not. */
function wholeRequest({ generateContentRequest }: Json): unknown {
  return generateContentRequest ?? null;
}

/** By dialect. */
export const countForms: ReadonlyMap<string, CountForm> = new Map([
  ["anthropic-messages", anthropic],
  ["gemini-generate-content", google],
]);
