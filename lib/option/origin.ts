const LABEL = String.raw`[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?`;
const DOMAIN = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`, "u");

/** Whether a text is a domain as it stands behind the @ of an address: without the @, a wildcard or a path. */
export function isDomain(text: string): boolean {
  return text.length <= 253 && DOMAIN.test(text);
}

/**
 * The origin of a web page or an app as browsers send it ("https://chat.example.com", "app://notes"), or "*"; null = the
 * text is neither, for example because it has a path.
 */
export function readOrigin(text: string): string | null {
  if (text === "*") return text;
  const bare = /^[a-z][a-z\d+.-]*:\/\/[^\s/?#@]+(?=\/?$)/i.exec(text)?.[0].toLowerCase();
  if (bare === undefined || !bare.startsWith("http")) return bare ?? null;
  return URL.canParse(bare) ? new URL(bare).origin : null;
}
