// How keys are shown to upstreams (contract §6).
export { azure } from "./azure";
export { baiduAccessToken } from "./baidu";
export { googleServiceAccount } from "./google";
export { anthropicKey, apiKeyHeader, authNotBuilt, bearer, googleKey, midjourneySecret } from "./plain";
export { sigV4 } from "./sigv4";
export { sparkHmacUrl } from "./spark";
export { tc3 } from "./tc3";
export { zhipuToken } from "./zhipu";
