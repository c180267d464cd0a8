/** An error as callers see it, in OpenAI's terms; each dialect writes it in its own shape. */
export type WireError = { message: string; type: string; param: string | null; code: string | number | null };

/** A request that its dialect does not allow; shown to the caller as 400. */
export class InvalidRequest extends Error {
  readonly param: string | null;

  constructor(message: string, param: string | null = null) {
    super(message);
    this.name = "InvalidRequest";
    this.param = param;
  }
}
