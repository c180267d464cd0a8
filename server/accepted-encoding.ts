/** How answers are compressed, best first. */
export const ENCODINGS = ["br", "gzip"] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** The best of these encodings that an Accept-Encoding header allows; null = none. The first of equal weight wins. */
export function acceptedEncoding(
  header: string | undefined,
  offered: readonly Encoding[] = ENCODINGS,
): Encoding | null {
  if (!header) return null;
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(",")) {
    const [name = "", ...parameters] = part.split(";").map((text) => text.trim());
    const weight = parameters.find((text) => text.startsWith("q="))?.slice(2);
    weights.set(name, weight === undefined ? 1 : Number(weight));
  }
  let best: Encoding | null = null;
  let bestWeight = 0;
  for (const encoding of offered) {
    const weight = weights.get(encoding) ?? weights.get("*") ?? 0;
    if (weight > bestWeight) [best, bestWeight] = [encoding, weight];
  }
  return best;
}

/** Adds Accept-Encoding to a Vary header. */
export function withVary(vary: number | string | readonly string[] | undefined): string {
  const named = String(vary ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  if (named.some((name) => name === "*" || name.toLowerCase() === "accept-encoding")) return named.join(", ");
  return [...named, "Accept-Encoding"].join(", ");
}
