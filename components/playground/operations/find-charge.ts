import { asObject, parseJson } from "../wire";

export type Charge = { quota: number; promptTokens: number; completionTokens: number };

/** Charges are written in batches within a second; the first looks come soon, the later ones seldom. */
const WAITS_MS = [250, 400, 700, 1_200, 2_000, 4_000, 8_000];

/** What a call was charged, as soon as it is in the books; null = not found in time. */
export async function findCharge(requestId: string, userId: number, signal: AbortSignal): Promise<Charge | null> {
  for (const waitMs of WAITS_MS) {
    await new Promise((done) => setTimeout(done, waitMs));
    if (signal.aborted) return null;
    const charge = await lookUp(requestId, userId, signal).catch(() => null);
    if (charge) return charge;
  }
  return null;
}

async function lookUp(requestId: string, userId: number, signal: AbortSignal): Promise<Charge | null> {
  const response = await fetch(`/pg/charge?request=${encodeURIComponent(requestId)}`, {
    headers: { "new-api-user": String(userId), "cache-control": "no-store" },
    signal,
  });
  const {
    quota,
    prompt_tokens: prompt,
    completion_tokens: completion,
  } = asObject(parseJson(await response.text()).data);
  if (typeof quota !== "number") return null;
  return { quota, promptTokens: Number(prompt) || 0, completionTokens: Number(completion) || 0 };
}
