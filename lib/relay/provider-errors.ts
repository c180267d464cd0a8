import type { Json } from "./canonical/json";
import { readProviderError as readDashscope } from "./dialects/dashscope/error";
import { readProviderError as readErnie } from "./dialects/ernie/error";
import { readProviderError as readHunyuan } from "./dialects/hunyuan/error";
import type { ProviderError } from "./dialects/provider-error";

/** Errors of providers that word them as nobody else does. Each returns null for every other JSON. */
const readers: readonly ((json: Json) => ProviderError | null)[] = [readDashscope, readErnie, readHunyuan];

export function readProviderError(json: Json): ProviderError | null {
  for (const read of readers) {
    const found = read(json);
    if (found) return found;
  }
  return null;
}
