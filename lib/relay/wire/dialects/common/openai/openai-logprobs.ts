import type { TokenChance, TokenLogprob } from "../../../canonical/event";
import { type Json, readArray, readObject, readText } from "../../../canonical/json";
import { utf8Bytes } from "../utf8";

/** Alternatives that OpenAI gives at most. */
export const ALTERNATIVES_MAX = 20;

/** Reads the list that OpenAI's formats have in common. Undefined = nothing in it. */
export function readLogprobs(value: unknown): TokenLogprob[] | undefined {
  const tokens = readArray(value).flatMap((entry): TokenLogprob[] => {
    const given = readObject(entry);
    const chance = readChance(given);
    return chance
      ? [{ ...chance, alternatives: readArray(given.top_logprobs).flatMap((one) => readChance(readObject(one)) ?? []) }]
      : [];
  });
  return tokens.length > 0 ? tokens : undefined;
}

function readChance({ token, logprob, bytes }: Json): TokenChance | null {
  if (typeof token !== "string" || typeof logprob !== "number") return null;
  const given = readArray(bytes).filter((byte) => typeof byte === "number");
  return given.length > 0 ? { token: readText(token), logprob, bytes: given } : { token, logprob };
}

export function renderLogprobs(tokens: readonly TokenLogprob[]): Json[] {
  return tokens.map(({ alternatives, ...chance }) => ({
    ...renderChance(chance),
    top_logprobs: alternatives.map(renderChance),
  }));
}

function renderChance({ token, logprob, bytes }: TokenChance): Json {
  return { token, logprob, bytes: bytes ?? utf8Bytes(token) };
}
