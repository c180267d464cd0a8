/** A whole number from 0 to a bound; null = it is none. */
export function readWholeNumber(value: unknown, max: number): number | null {
  const number = typeof value === "string" && value !== "" ? Number(value.replace(/%$/, "")) : value;
  if (typeof number !== "number" || !Number.isFinite(number)) return null;
  return Math.round(Math.min(Math.max(number, 0), max));
}

const URL_CHARACTERS_MAX = 8_192;

/** An address that a video can be fetched from; null = it is none. */
export function readAddress(value: unknown): string | null {
  if (typeof value !== "string" || value.length > URL_CHARACTERS_MAX || !URL.canParse(value)) return null;
  return /^https?:$/.test(new URL(value).protocol) ? value : null;
}
