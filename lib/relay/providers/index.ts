export { bearer } from "./auth";
export { TokenFailure } from "./auth/token-request";
export type { UpstreamRow } from "./channel-type";
export { addressWith } from "./credentials";
export { openaiModels } from "./model-lists";
export { rows } from "./rows";
export { ChannelSetupError } from "./setup-error";
