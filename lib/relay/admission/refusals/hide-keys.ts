/** What looks like a key of this gateway, or of a provider. Callers paste them into fields that errors quote. */
const KEYS = /\b(sk|pk|rk|AIza|ghp|github_pat|xox[a-z]|eyJ|gsk|AKIA|Bearer)([-_ ]?)[A-Za-z0-9._/+=-]{16,}/g;

/** The text with the beginnings of keys only. */
export function hideKeys(text: string): string {
  return text.replace(KEYS, "$1$2***");
}
