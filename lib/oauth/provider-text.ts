/** A text from a provider as one line of at most `lengthMax` characters; "" for anything else. */
export function cleanText(value: unknown, lengthMax: number): string {
  if (typeof value !== "string") return "";
  return Array.from(value.replace(/[\p{Cc}\p{Cf}]+/gu, " ").trim())
    .slice(0, lengthMax)
    .join("");
}

/** A provider's id as text: a positive integer or a text of 1–255 characters; null for anything else. */
export function stableId(value: unknown): string | null {
  if (typeof value === "number") return Number.isSafeInteger(value) && value > 0 ? String(value) : null;
  return typeof value === "string" && /^[\x21-\x7e]{1,255}$/.test(value) ? value : null;
}
