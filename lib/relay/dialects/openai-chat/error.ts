import type { Json } from "../../canonical/json";
import type { Frame } from "../../canonical/machine";
import type { WireError } from "../../canonical/wire-error";

/** What the caller gets to read: the error with the request's id at the end of its message. */
export function renderError({ message, type, param, code }: WireError, _status: number, requestId: string): Json {
  return { error: { message: `${message} (request id: ${requestId})`, type, param, code } };
}

export function renderCut({ message, type, param, code }: WireError): readonly Frame[] {
  return [{ event: null, data: JSON.stringify({ error: { message, type, param, code } }) }];
}
