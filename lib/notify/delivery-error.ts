import { AppError } from "@/lib/errors";

type Failure = {
  messageKey: string;
  params?: Record<string, string | number>;
  /** A retry will not help, e.g. for a wrong key or an address that no longer exists. */
  permanent?: boolean;
  /** Wait requested by the receiver. */
  retryAfterSeconds?: number;
};

/** Why a delivery failed. `messageKey` is a key under "errors"; `params` contain no secrets. */
export class DeliveryError extends Error {
  readonly messageKey: string;
  readonly params: Record<string, string | number>;
  readonly permanent: boolean;
  readonly retryAfterSeconds: number;

  constructor(failure: Failure, cause?: unknown) {
    super(failure.messageKey, cause === undefined ? undefined : { cause });
    this.name = "DeliveryError";
    this.messageKey = failure.messageKey;
    this.params = failure.params ?? {};
    this.permanent = failure.permanent ?? false;
    this.retryAfterSeconds = failure.retryAfterSeconds ?? 0;
  }
}

/** Maximum length of the receiver's error text. */
const DETAIL_MAX = 200;

/** A receiver's error text on one line, with the target's secrets removed. */
export function detailOf(text: string, secrets: readonly string[]): string {
  let detail = text;
  for (const secret of secrets) if (secret.length > 3) detail = detail.replaceAll(secret, "***");
  const line = detail.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim();
  return Buffer.from(line.slice(0, DETAIL_MAX)).toString();
}

/** Converts any error to one that may be stored and shown. The text of an unexpected error is not included. */
export function toDeliveryError(error: unknown): DeliveryError {
  if (error instanceof DeliveryError) return error;
  if (error instanceof AppError) {
    const { messageKey, params, code } = error;
    return new DeliveryError({ messageKey, params, permanent: code === "invalid" }, error);
  }
  return new DeliveryError({ messageKey: "internal" }, error);
}

/** The stored form of a failure, for `last_error`. */
export function encodeFailure({ messageKey, params }: DeliveryError): string {
  return JSON.stringify({ messageKey, params });
}

/** The failure in a `last_error`, to be translated; null when there is none. */
export function decodeFailure(text: string): AppError | null {
  if (text === "") return null;
  const { messageKey, params } = JSON.parse(text) as Pick<DeliveryError, "messageKey" | "params">;
  return new AppError("upstream", messageKey, params);
}
