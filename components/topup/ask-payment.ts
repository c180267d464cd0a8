import { fetchApi, RefusedError } from "@/components/form/call-api";

/** Response of /amount and /pay: `data` is the result if `message` is "success", else the reason (contract §1.6). */
export type PaymentAnswer = { data: unknown; url: string };

/** Calls a payment route. Throws RefusedError with the reason, HttpError, or the error of fetch when there is no response. */
export async function askPayment(path: string, body: Record<string, unknown>): Promise<PaymentAnswer> {
  const answer = await fetchApi(path, { method: "POST", body });
  const { message, data, url } = toRecord(answer);
  if (message !== "success") throw new RefusedError(typeof data === "string" && data !== "" ? data : String(message));
  return { data, url: typeof url === "string" ? url : "" };
}

function toRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

/** The fields of a payment form; values that are neither text nor number are left out. */
export function toFields(data: unknown): Record<string, string> {
  const pairs = Object.entries(toRecord(data)).filter(
    ([, value]) => typeof value === "string" || typeof value === "number",
  );
  return Object.fromEntries(pairs.map(([name, value]) => [name, String(value)]));
}
