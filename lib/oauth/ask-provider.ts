import { type EgressOptions, egressFetch } from "@/lib/egress";
import { AppError } from "@/lib/errors";
import { logger } from "@/lib/logger";
import { answerUnusable, providerUnreachable } from "./refusals";
import type { OutsideProvider } from "./types";

/** Contract §9.4. */
const TIMEOUT_MS = 5_000;
const BODY_BYTES_MAX = 256 * 1_024;

export type ProviderReply = { status: number; json: Record<string, unknown> };

/**
 * Sends a request to a provider and parses the JSON object in its response. Throws "upstream": unreachable for no
 * response and 5xx, unusable for a response that is no JSON object. The calling function handles other statuses.
 */
export async function askProvider(
  provider: OutsideProvider,
  url: string,
  options: Pick<EgressOptions, "method" | "headers" | "body" | "trust"> = {},
): Promise<ProviderReply> {
  const reply = await egressFetch(url, {
    trust: "operator",
    ...options,
    headers: { accept: "application/json", ...options.headers },
    timeoutMs: TIMEOUT_MS,
    maxBytes: BODY_BYTES_MAX,
  }).catch((error: unknown) => {
    // The user only learns that the provider is unavailable; the failed host and the reason are logged for the operator.
    const reason = error instanceof AppError ? error.messageKey : "unknown";
    logger.warn({ provider, host: hostOf(url), reason }, "an outside account provider did not answer");
    throw providerUnreachable(provider, error);
  });
  if (reply.status >= 500) throw providerUnreachable(provider);
  return { status: reply.status, json: parseObject(provider, reply.body.toString("utf8")) };
}

function parseObject(provider: OutsideProvider, text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch (error) {
    throw answerUnusable(provider, error);
  }
  throw answerUnusable(provider);
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : "";
}

/** A text from a provider as one line of at most `lengthMax` characters; "" for anything else. */
export function cleanText(value: unknown, lengthMax: number): string {
  if (typeof value !== "string") return "";
  return Array.from(value.replace(/[\p{Cc}\p{Cf}]+/gu, " ").trim())
    .slice(0, lengthMax)
    .join("");
}

/** A provider's id as text: a positive integer or a text of 1–255 characters; null for anything else. */
export function stableId(value: unknown): string | null {
  if (typeof value === "number") return Number.isSafeInteger(value) && value > 0 ? String(value) : null;
  return typeof value === "string" && /^[\x21-\x7e]{1,255}$/.test(value) ? value : null;
}
