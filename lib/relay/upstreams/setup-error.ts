/** The channel is not set up so that this request can be sent to it. */
export class ChannelSetupError extends Error {
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.name = "ChannelSetupError";
    this.code = code;
  }
}

/** The channel's type cannot do what is asked. */
export function unsupportedType(type: number): ChannelSetupError {
  return new ChannelSetupError(`channel type ${type} is not supported for this endpoint`, "invalid_api_type");
}
