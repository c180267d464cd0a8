/** An error for the client, in OpenAI's terms; each dialect renders it in its own format. */
export type WireError = { message: string; type: string; param: string | null; code: string | number | null };

/** What goes with an error in the body, where the dialect has a place for it. */
export type ErrorTerms = {
  /** 0 = the request should not be repeated, or nobody knows when. */
  retryAfterMs: number;
  /** In Google's words: upper case. "" = none. */
  reason: string;
  /** Where the error is explained. "" = not known. */
  help: string;
};

/** A message with the request's id at its end; "" = without it. */
export function withRequestId(message: string, id: string): string {
  return id === "" ? message : `${message} (request id: ${id})`;
}

/** The code of an error as text; "" = it has neither a code nor a type. Upstreams also use numbers. */
export function codeOf({ code, type }: WireError): string {
  return String(code ?? type ?? "");
}

/** A request that its dialect does not allow; the client gets 400. */
export class InvalidRequest extends Error {
  readonly param: string | null;
  /** Null = the usual one of the dialect. */
  readonly code: string | null;

  constructor(message: string, param: string | null = null, code: string | null = null) {
    super(message);
    this.name = "InvalidRequest";
    this.param = param;
    this.code = code;
  }
}

/** An error in a provider's own words. */
export type ProviderError = {
  error: WireError;
  /** The status that it stands for; null = its code is not known. */
  status: number | null;
};

/** The status of the first name that the code begins with; for codes like `InvalidParameter.Model`. */
export function statusOfCode(code: string, statuses: readonly (readonly [string, number])[]): number | null {
  return statuses.find(([name]) => code === name || code.startsWith(`${name}.`))?.[1] ?? null;
}
