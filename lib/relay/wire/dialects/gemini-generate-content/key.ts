import type { KeyPlaces } from "../dialect";

/** Reads the key from where Google's clients put it (contract §4.2). */
export function readKey({ headers, url }: KeyPlaces): string {
  const key = headers["x-goog-api-key"];
  if (typeof key === "string" && key.trim() !== "") return key.trim();
  const { authorization } = headers;
  const bearer = typeof authorization === "string" ? authorization.replace(/^bearer\s+/i, "").trim() : "";
  return bearer || keyOfQuery(url);
}

function keyOfQuery(url: string): string {
  const given = /[?&]key=([^&#]*)/.exec(url)?.[1] ?? "";
  try {
    return decodeURIComponent(given).trim();
  } catch {
    return given;
  }
}
