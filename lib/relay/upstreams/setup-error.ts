/** The channel's settings do not allow sending this request. */
export class ChannelSetupError extends Error {
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.name = "ChannelSetupError";
    this.code = code;
  }
}

/** The channel type does not support the operation. */
export function unsupportedType(type: number): ChannelSetupError {
  return new ChannelSetupError(`channel type ${type} is not supported for this endpoint`, "invalid_api_type");
}
