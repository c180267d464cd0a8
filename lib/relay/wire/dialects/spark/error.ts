import { type Json, readObject, readText } from "../../canonical/json";
import type { ProviderError } from "../../canonical/wire-error";

/** https://www.xfyun.cn/doc/spark/接口说明.html: what the codes stand for; others are the service's own trouble. */
const STATUSES: ReadonlyMap<number, number> = new Map([
  ...of(400, 10_003, 10_004, 10_005, 10_013, 10_014, 10_019, 10_163, 10_907, 11_501),
  ...of(401, 10_015, 10_313, 11_500),
  // Not allowed for this application, or its tokens are used up.
  ...of(403, 10_016, 11_200),
  ...of(429, 10_006, 10_007, 11_201, 11_202, 11_203),
  ...of(503, 10_008, 10_110),
]);

/** The conversation is not allowed, or is too long, wherever it is sent. */
const TYPES: ReadonlyMap<number, string> = new Map([
  ...[10_013, 10_014, 10_019].map((code) => [code, "content_filter"] as const),
  [10_907, "context_length_exceeded"],
]);

function of(status: number, ...codes: number[]): [number, number][] {
  return codes.map((code) => [code, status]);
}

/** A message whose header has a code other than 0. */
export function readProviderError(json: Json): ProviderError | null {
  const header = readObject(json.header);
  const code = typeof header.code === "string" ? Number(header.code) : header.code;
  if (typeof code !== "number" || !Number.isInteger(code) || code === 0) return null;
  return {
    error: {
      message: readText(header.message) || `Spark reports the error ${code}`,
      type: TYPES.get(code) ?? "upstream_error",
      param: null,
      code,
    },
    status: STATUSES.get(code) ?? null,
  };
}
