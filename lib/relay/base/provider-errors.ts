import type { Json } from "../wire/canonical/json";
import type { ProviderError } from "../wire/canonical/wire-error";
import { readProviderError as readLibrary } from "../wire/dialects/ai-proxy-library/error";
import { readProviderError as readFailedEnd } from "../wire/dialects/common/failed-end";
import { readProviderError as readCoze } from "../wire/dialects/coze/error";
import { readProviderError as readDashscope } from "../wire/dialects/dashscope/error";
import { readProviderError as readDify } from "../wire/dialects/dify/error";
import { readProviderError as readErnie } from "../wire/dialects/ernie/error";
import { readProviderError as readHunyuan } from "../wire/dialects/hunyuan/error";
import { readProviderError as readSpark } from "../wire/dialects/spark/error";
import { readProviderError as readZhipu } from "../wire/dialects/zhipu-v3/error";

/** Errors of providers that word them as nobody else does. Each returns null for every other JSON. */
const readers: readonly ((json: Json) => ProviderError | null)[] = [
  readDashscope,
  readLibrary,
  readZhipu,
  readCoze,
  readDify,
  readErnie,
  readHunyuan,
  readSpark,
  readFailedEnd,
];

export function readProviderError(json: Json): ProviderError | null {
  for (const read of readers) {
    const found = read(json);
    if (found) return found;
  }
  return null;
}
