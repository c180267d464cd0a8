import type { Json } from "./canonical/json";
import { readProviderError as readLibrary } from "./dialects/ai-proxy-library/error";
import { readProviderError as readCoze } from "./dialects/coze/error";
import { readProviderError as readDashscope } from "./dialects/dashscope/error";
import { readProviderError as readDify } from "./dialects/dify/error";
import { readProviderError as readErnie } from "./dialects/ernie/error";
import { readProviderError as readFailedEnd } from "./dialects/failed-end";
import { readProviderError as readHunyuan } from "./dialects/hunyuan/error";
import type { ProviderError } from "./dialects/provider-error";
import { readProviderError as readSpark } from "./dialects/spark/error";
import { readProviderError as readZhipu } from "./dialects/zhipu-v3/error";

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
