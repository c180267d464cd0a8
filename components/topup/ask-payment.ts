import { fetchApi, RefusedError } from "@/components/form/call-api";

/** What /amount and /pay answer: `message` "success" with `data`, else `data` says why not (contract §1.6). */
export type PaymentAnswer = { data: unknown; url: string };

/** Asks a payment route. Throws RefusedError with the reason, HttpError, or what fetch throws when no answer came. */
export async function askPayment(path: string, body: Record<string, unknown>): Promise<PaymentAnswer> {
  const answer = await fetchApi(path, { method: "POST", body });
  const { message, data, url } = toRecord(answer);
  if (message !== "success") throw new RefusedError(typeof data === "string" && data !== "" ? data : String(message));
  return { data, url: typeof url === "string" ? url : "" };
}

function toRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

/** The fields of a payment form; anything that is not a text or a number is left out. */
export function toFields(data: unknown): Record<string, string> {
  const pairs = Object.entries(toRecord(data)).filter(
    ([, value]) => typeof value === "string" || typeof value === "number",
  );
  return Object.fromEntries(pairs.map(([name, value]) => [name, String(value)]));
}
