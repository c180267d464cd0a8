/** Settings by model, and the like, for the upstreams of single makers. Safe to import in the browser. */
export type TokenMap = Readonly<Record<string, number>>;
export type VersionMap = Readonly<Record<string, string>>;
export type SafetyMap = Readonly<Record<string, string>>;
/** Model → header → its value, or a list of values. */
export type HeaderMap = Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;

const NAME_LENGTH_MAX = 255;
const TOKENS_MAX = 1e9;
const THRESHOLD = /^(?:OFF|BLOCK_NONE|BLOCK_ONLY_HIGH|BLOCK_MEDIUM_AND_ABOVE|BLOCK_LOW_AND_ABOVE)$/;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
const HEADER_VALUE = /^[\x20-\x7e]{1,2000}$/;
/** Headers that say who asks, and those that frame the request. */
const OWN_HEADERS =
  /^(?:authorization|x-api-key|x-goog-api-key|cookie|host|content-.*|transfer-encoding|connection|keep-alive|te|trailer|upgrade|expect|accept|accept-encoding|proxy-.*)$/i;

function isMapOf(value: unknown, fits: (inner: unknown, key: string) => boolean): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.entries(value).every(([key, inner]) => key !== "" && key.length <= NAME_LENGTH_MAX && fits(inner, key));
}

export function isTokenMap(value: unknown): value is TokenMap {
  return isMapOf(value, (tokens) => Number.isInteger(tokens) && Number(tokens) >= 1 && Number(tokens) <= TOKENS_MAX);
}

export function isVersionMap(value: unknown): value is VersionMap {
  return isMapOf(value, (version) => typeof version === "string" && /^v\d[a-z0-9]{0,19}$/.test(version));
}

export function isSafetyMap(value: unknown): value is SafetyMap {
  const isCategory = (key: string): boolean => key === "default" || /^HARM_CATEGORY_[A-Z_]+$/.test(key);
  return isMapOf(value, (given, key) => isCategory(key) && typeof given === "string" && THRESHOLD.test(given));
}

export function isHeaderMap(value: unknown): value is HeaderMap {
  const isValue = (given: unknown): boolean => typeof given === "string" && HEADER_VALUE.test(given);
  const isHeader = (given: unknown, name: string): boolean =>
    HEADER_NAME.test(name) && !OWN_HEADERS.test(name) && (Array.isArray(given) ? given.every(isValue) : isValue(given));
  return isMapOf(value, (headers) => isMapOf(headers, isHeader));
}
