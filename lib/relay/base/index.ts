export { classifyFailure } from "./classify-failure";
export { createRequestId } from "./request-id";
export { Secrets } from "./secrets";
