/** Error codes, independent of the transport, with the HTTP status used where there is no envelope. */
export const ERROR_STATUS = {
  unauthenticated: 401,
  forbidden: 403,
  /** Allowed after the user has proved again who they are. */
  step_up_required: 403,
  /** Somebody else has signed in than the user whom the page was made for. */
  other_user: 409,
  not_found: 404,
  invalid: 400,
  conflict: 409,
  rate_limited: 429,
  upstream: 502,
  unavailable: 503,
  internal: 500,
} as const;

/** A field that somebody else has changed since a form showed it. */
export type Clash = { field: string; seen: unknown; stored: unknown };

export type ErrorCode = keyof typeof ERROR_STATUS;

/**
 * An error that the client may see. `messageKey` is a key under "errors" in messages/*.json, `params` its arguments.
 * Any other thrown error is a bug: logged in full, shown as "internal".
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly messageKey: string;
  readonly params: Record<string, string | number>;
  /** The fields that somebody else has changed, see lib/seen.ts. */
  clashes?: readonly Clash[];

  constructor(code: ErrorCode, messageKey: string, params: Record<string, string | number> = {}, cause?: unknown) {
    super(`${code}: ${messageKey}`, cause === undefined ? undefined : { cause });
    this.name = "AppError";
    this.code = code;
    this.messageKey = messageKey;
    this.params = params;
  }

  /** By its name: pages and routes are bundled apart, each with a class of its own, and share what throws. */
  static override [Symbol.hasInstance](value: unknown): value is AppError {
    return value instanceof Error && value.name === "AppError";
  }
}
