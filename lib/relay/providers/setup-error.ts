import type { RelayError } from "../base/relay-error";

/** The channel cannot be sent this request as it is. `refusal`: what the caller is told where no other channel can. */
export class ChannelSetupError extends Error {
  readonly code: string;
  readonly refusal: RelayError | null;

  constructor(message: string, code: string, refusal: RelayError | null = null) {
    super(message);
    this.name = "ChannelSetupError";
    this.code = code;
    this.refusal = refusal;
  }
}

/** The channel type does not support the operation. */
export function unsupportedType(type: number): ChannelSetupError {
  return new ChannelSetupError(`channel type ${type} is not supported for this endpoint`, "invalid_api_type");
}
