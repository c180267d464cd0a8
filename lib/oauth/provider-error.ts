import { errors } from "openid-client";
import { AppError } from "@/lib/errors";
import { logger } from "@/lib/logger";
import { answerUnusable, codeRefused, providerUnreachable, stateMismatch } from "./refusals";
import type { OutsideProvider } from "./types";

/** The step that failed. */
export type ProviderStep = "discovery" | "exchange" | "profile";

/**
 * Converts an error of openid-client for the client: "upstream" for a provider that is unavailable or returns an
 * invalid response, "invalid" for a refused code or identity token, forbidden for a state of another browser.
 */
export function explainProviderError(provider: OutsideProvider, step: ProviderStep, error: unknown): AppError {
  const isEgress = error instanceof AppError && error.messageKey.startsWith("egress");
  if (error instanceof AppError && !isEgress) return error;
  const known = isEgress || isAway(error) ? providerUnreachable(provider, error) : explainAnswer(provider, step, error);
  // The user only learns that the provider is unavailable; the failed host and the reason are logged for the operator.
  logger.warn({ provider, step, reason: reasonOf(error) }, "an outside account provider did not do as asked");
  return known;
}

function isAway(error: unknown): boolean {
  if (error instanceof errors.OPError) return (error.response?.statusCode ?? 0) >= 500;
  if (error instanceof errors.RPError) return /timed out/.test(error.message);
  return typeof (error as { code?: unknown }).code === "string";
}

function explainAnswer(provider: OutsideProvider, step: ProviderStep, error: unknown): AppError {
  if (step === "exchange" && error instanceof errors.OPError) return codeRefused(provider, error);
  if (step === "exchange" && error instanceof errors.RPError) {
    if ("jwt" in error || "jwks" in error) return new AppError("invalid", "oauthIdTokenInvalid", {}, error);
    if (/^(state|iss) /.test(error.message)) return stateMismatch(error);
  }
  return answerUnusable(provider, error);
}

/** Never the whole message: openid-client includes tokens and states in some of them. */
function reasonOf(error: unknown): string {
  if (error instanceof AppError) return error.messageKey;
  if (error instanceof errors.OPError) return `${error.response?.statusCode ?? ""} ${error.error}`.trim().slice(0, 200);
  const code = (error as { code?: unknown }).code;
  return typeof code === "string" ? code : error instanceof Error ? error.name : "unknown";
}
