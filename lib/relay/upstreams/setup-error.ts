/** The channel is not set up so that this request can be sent to it. */
export class ChannelSetupError extends Error {
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.name = "ChannelSetupError";
    this.code = code;
  }
}
