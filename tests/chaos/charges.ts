import type { WholeAnswer } from "./load";

/** The models that startLoad asks for. */
export const LOAD_MODELS = "fake-gpt,fake-gpt:chunks=20:pace=5";

/** A row of the usage log. `seed` is that of the request. */
export type Charge = { requestId: string; seed: number; quota: number; isStream: boolean; isEstimated: boolean };

/**
 * The prices that prepareDatabase sets: one unit per prompt token, three per completion token. The token counts are the
 * fake upstream's.
 */
export const priceOf = (seed: number, isStream: boolean) => 12 + seed + 3 * (isStream ? 20 : 13);

/** Answers that a caller held whole and that are not charged by exactly one row of exactly their price. */
export function wronglyCharged(whole: readonly WholeAnswer[], charges: readonly Charge[]): WholeAnswer[] {
  const rows = new Map<string, Charge[]>();
  for (const charge of charges) rows.set(charge.requestId, [...(rows.get(charge.requestId) ?? []), charge]);
  return whole.filter(({ requestId, isStream, seed }) => {
    const [charge, ...more] = rows.get(requestId) ?? [];
    return more.length > 0 || charge?.seed !== seed || charge.quota !== priceOf(seed, isStream);
  });
}
