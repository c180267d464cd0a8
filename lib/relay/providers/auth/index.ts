// How keys are read and shown to upstreams (contract §6).
export { readAwsKey } from "./aws-key";
export { azure, checkAzureKey } from "./azure";
export { baiduAccessToken, readBaiduKey } from "./baidu";
export { checkGoogleKey, googleServiceAccount } from "./google";
export { klingToken, readKlingKey } from "./kling";
export { anthropicKey, bearer, googleKey, midjourneySecret, qianfanKey } from "./plain";
export { sigV4 } from "./sigv4";
export { readSparkKey, sparkHmacUrl } from "./spark";
export { readTencentKey, tc3 } from "./tc3";
export { zhipuToken } from "./zhipu";
