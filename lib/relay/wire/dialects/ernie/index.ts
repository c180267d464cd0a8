import type { UpstreamOnly } from "../dialect";
import { decodeResponse, hasAnswer, readOwnUsage } from "./decode-response";
import { createStreamDecoder } from "./decode-stream";
import { capEdits, encodeRequest, readCompletionMax } from "./encode-request";
import { hasFailed } from "./error";
import { limits } from "./limits";

/** Baidu's Wenxin Workshop chat, version 1. https://cloud.baidu.com/doc/WENXINWORKSHOP/s/clntwmv7t */
export const ernie: UpstreamOnly = {
  id: "ernie",
  limits,
  upstream: {
    path: pathOf,
    readCompletionMax,
    capEdits,
    encode: encodeRequest,
    wholeBody: { hasAnswer, hasFailed: (json) => hasFailed(json, null) },
    decode: decodeResponse,
    streamDecoder: createStreamDecoder,
    readUsage: readOwnUsage,
  },
};

const SERVICE = "/rpc/2.0/ai_custom/v1/wenxinworkshop/chat";

/** Models that have another path than their name. Names are in lower case. */
const PATHS: ReadonlyMap<string, string> = new Map([
  ["ernie-4.0", "completions_pro"],
  ["ernie-4.0-8k", "completions_pro"],
  ["ernie-bot-4", "completions_pro"],
  ["ernie-3.5-8k", "completions"],
  ["ernie-bot", "completions"],
  ["ernie-bot-8k", "ernie_bot_8k"],
  ["ernie-speed", "ernie_speed"],
  ["ernie-speed-8k", "ernie_speed"],
  ["ernie-lite-8k-0922", "eb-instant"],
  ["ernie-bot-turbo", "eb-instant"],
  ["ernie-lite-8k-0308", "ernie-lite-8k"],
  ["bloomz-7b", "bloomz_7b1"],
]);

function pathOf(model: string): string {
  const name = model.toLowerCase();
  return `${SERVICE}/${PATHS.get(name) ?? encodeURIComponent(name)}`;
}
