import type { TokenChance, TokenLogprob } from "../../canonical/event";
import { type Json, readArray, readObject, readText } from "../../canonical/json";
import { field, objectField } from "./fields";

/** Undefined = nothing is told. */
export function readLogprobs(candidate: Json): TokenLogprob[] | undefined {
  const given = field(candidate, "logprobsResult");
  if (given === undefined || given === null) return undefined;
  const result = objectField(candidate, "logprobsResult");
  const tops = readArray(field(result, "topCandidates"));
  const tokens = readArray(field(result, "chosenCandidates")).flatMap((value, i): TokenLogprob[] => {
    const chosen = readChance(readObject(value));
    const others = readArray(readObject(tops[i]).candidates).flatMap((one) => readChance(readObject(one)) ?? []);
    return chosen ? [{ ...chosen, alternatives: others }] : [];
  });
  return tokens.length > 0 ? tokens : undefined;
}

function readChance(given: Json): TokenChance | null {
  const logprob = field(given, "logProbability");
  if (typeof given.token !== "string") return null;
  // Google leaves a zero out: the token was certain.
  return { token: readText(given.token), logprob: typeof logprob === "number" ? logprob : 0 };
}

export function renderLogprobs(tokens: readonly TokenLogprob[]): Json {
  return {
    topCandidates: tokens.map(({ alternatives }) => ({ candidates: alternatives.map(renderChance) })),
    chosenCandidates: tokens.map(renderChance),
  };
}

function renderChance({ token, logprob }: TokenChance): Json {
  return { token, logProbability: logprob };
}

export function average(tokens: readonly TokenLogprob[]): number {
  return tokens.reduce((sum, { logprob }) => sum + logprob, 0) / tokens.length;
}
