import type { Json } from "../../canonical/json";
import type { Frame } from "../../canonical/machine";
import type { WireError } from "../../canonical/wire-error";

/** The error body; the request id is appended to the message. */
export function renderError({ message, type, param, code }: WireError, _status: number, requestId: string): Json {
  return { error: { message: `${message} (request id: ${requestId})`, type, param, code } };
}

export function renderCut({ message, type, param, code }: WireError): readonly Frame[] {
  return [{ event: null, data: JSON.stringify({ error: { message, type, param, code } }) }];
}
