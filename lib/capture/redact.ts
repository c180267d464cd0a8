const GONE = "[redacted]";
const MAIL = "[e-mail]";

/** Each runs in linear time: no repetition within a repetition, and a bound on what comes before a sure character. */
const SECRETS: readonly RegExp[] = [
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]*(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?/g,
  /\b(?:sk|pk|rk|ak)[-_][A-Za-z0-9_-]{8,}/g,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  /\bAIza[0-9A-Za-z_-]{20,}/g,
  /\b(?:gh[pousr]|github_pat|glpat|hf|r8|gsk|xai|whsec)[-_][A-Za-z0-9_-]{16,}/g,
  /\bxox[a-z]-[A-Za-z0-9-]{10,}/g,
  /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g,
  /\b(?:Bearer|Basic) {1,4}[A-Za-z0-9+/=._~-]{8,}/gi,
];
const ADDRESS = /[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}/g;
const DATA = /data:[a-z0-9.+/-]{1,100};base64,[A-Za-z0-9+/=_-]+/gi;
/** So much without a space is no language. */
const BLOB = /[A-Za-z0-9+/_-]{512,}={0,2}/g;
/** Fields whose value is a secret, whatever it looks like. */
const SECRET_NAME =
  /^(?:.{0,40}[_-])?(?:password|passwd|secret|api[_-]?key|access[_-]?token|authorization|credential|private[_-]?key|x-api-key)s?$/i;
/** JSON within a text may write any character as an escape. */
const ESCAPE = /\\u00([2-7][0-9a-f])/gi;
/** A backslash before these would end a text in JSON otherwise. */
const KEPT_ESCAPED = new Set(['"', "\\"]);

export type Redact = (text: string) => string;

/** Takes keys, tokens, e-mail addresses, encoded files and what `patterns` match out of a text. */
export function createRedact(patterns: readonly RegExp[]): Redact {
  return (given) => {
    let text = given.replace(ESCAPE, (whole, hex: string) => {
      const character = String.fromCharCode(Number.parseInt(hex, 16));
      return KEPT_ESCAPED.has(character) ? whole : character;
    });
    text = text.replace(DATA, (found) => `[file of ${found.length} characters]`);
    for (const secret of SECRETS) text = text.replace(secret, GONE);
    text = text.replace(ADDRESS, MAIL);
    for (const pattern of patterns) text = text.replace(pattern, GONE);
    return text.replace(BLOB, (found) => `[${found.length} characters]`);
  };
}

const DEPTH_MAX = 64;

/** The same for all texts and names in JSON, and for the values of fields that are named like secrets. */
export function redactJson(value: unknown, redact: Redact, depth = 0): unknown {
  if (typeof value === "string") return redact(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= DEPTH_MAX) return "[too deep]";
  if (Array.isArray(value)) return value.map((item) => redactJson(item, redact, depth + 1));
  const entries = Object.entries(value).map(([name, item]) => [
    redact(name),
    SECRET_NAME.test(name) && (typeof item === "string" || typeof item === "number")
      ? GONE
      : redactJson(item, redact, depth + 1),
  ]);
  return Object.fromEntries(entries);
}

/** A text that was cut may end within a secret that is then not recognised: its last word goes as well. */
export function withoutLastWord(text: string): string {
  let end = text.length;
  while (end > 0 && text.length - end < 4_096 && !/\s/.test(text[end - 1] ?? "")) end -= 1;
  return `${text.slice(0, end)}…`;
}
