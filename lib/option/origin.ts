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
