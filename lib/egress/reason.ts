import { AppError } from "@/lib/errors";

/** Why an address could not be asked, for callers of the relay, who get their errors in English. */
const REASONS: Record<string, string> = {
  egressBlocked: "it is on an internal network",
  egressFailed: "it could not be fetched",
  egressRedirectInvalid: "it redirects to an address that is not allowed",
  egressRedirects: "it redirects too often",
  egressTls: "it offers no secure connection that can be trusted",
  egressTimeout: "it did not answer in time",
  egressTooLarge: "it is too large",
  egressUnknownHost: "its host could not be found",
  egressUrlCredentials: "its address has a user name or a password",
  egressUrlInvalid: "its address is not a full address that begins with http:// or https://",
  // The proxy worker is the operator's, and no concern of a caller.
  egressWorker: "it could not be fetched",
};

export function egressReason({ messageKey }: AppError): string {
  return REASONS[messageKey] ?? "it could not be fetched";
}

/** Whether an answer was refused for its size. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof AppError && error.messageKey === "egressTooLarge";
}
