import type { KeyPlaces } from "../dialect";

/** Reads the key from the headers that Anthropic's clients use (contract §4.2). */
export function readKey({ headers }: KeyPlaces): string {
  const key = headers["x-api-key"];
  if (typeof key === "string" && key.trim() !== "") return key.trim();
  const { authorization } = headers;
  return typeof authorization === "string" ? authorization.replace(/^bearer\s+/i, "").trim() : "";
}
