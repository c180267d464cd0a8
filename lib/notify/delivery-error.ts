import { AppError } from "@/lib/errors";

type Failure = {
  messageKey: string;
  params?: Record<string, string | number>;
  /** Trying again will not help: a wrong key, an address that is gone. */
  permanent?: boolean;
  /** What the receiver asked to wait, in seconds. */
  retryAfterSeconds?: number;
};

/** Why a message did not reach a target. `messageKey` is a key under "errors"; nothing in it is secret. */
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

/** Longest text of a receiver's own words that is kept. */
const DETAIL_MAX = 200;

/** What a receiver said, on one line and without what is secret in the target's configuration. */
export function detailOf(text: string, secrets: readonly string[]): string {
  let detail = text;
  for (const secret of secrets) if (secret.length > 3) detail = detail.replaceAll(secret, "***");
  const line = detail.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim();
  return Buffer.from(line.slice(0, DETAIL_MAX)).toString();
}

/** Any failure as one that may be kept and shown. A fault keeps its text to itself. */
export function toDeliveryError(error: unknown): DeliveryError {
  if (error instanceof DeliveryError) return error;
  if (error instanceof AppError) {
    const { messageKey, params, code } = error;
    return new DeliveryError({ messageKey, params, permanent: code === "invalid" }, error);
  }
  return new DeliveryError({ messageKey: "internal" }, error);
}

/** The failure as the text that rests in `last_error`. */
export function encodeFailure({ messageKey, params }: DeliveryError): string {
  return JSON.stringify({ messageKey, params });
}

/** The failure of a `last_error`, to be put into words, or null when there is none. */
export function decodeFailure(text: string): AppError | null {
  if (text === "") return null;
  const { messageKey, params } = JSON.parse(text) as Pick<DeliveryError, "messageKey" | "params">;
  return new AppError("upstream", messageKey, params);
}
