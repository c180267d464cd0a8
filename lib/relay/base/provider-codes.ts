/** The internal codes of Cloudflare's Workers AI, where they are worth another status than 502. */
const WORKERS_AI: ReadonlyMap<unknown, number> = new Map([
  [3003, 400],
  [3006, 413],
  [3007, 408],
  [3008, 408],
  [3023, 403],
  [3036, 429],
  [3040, 429],
  [3041, 403],
  [3042, 404],
  [5004, 400],
  [5007, 400],
  [5016, 403],
  [5018, 403],
]);

/** MiniMax's, in base_resp. */
const MINIMAX: ReadonlyMap<unknown, number> = new Map([
  [1001, 504],
  [1002, 429],
  [1004, 401],
  [1008, 402],
  [1026, 400],
  [1027, 400],
  [1039, 429],
  [1041, 429],
  [1042, 400],
  [2013, 400],
  [2045, 429],
  [2049, 401],
  [2056, 429],
]);

/** The status that a provider's own code stands for: of Cloudflare's list of errors, or of MiniMax's `base_resp`. */
export function statusOfProviderCode(json: Record<string, unknown>): number | undefined {
  const [first] = Array.isArray(json.errors) ? json.errors : [];
  return WORKERS_AI.get(field(first, "code")) ?? MINIMAX.get(field(json.base_resp, "status_code"));
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
