import { isUtf8 } from "node:buffer";
import { hideNamed, isSecretName } from "./secret-names";

const GONE = "[redacted]";
const MAIL = "[e-mail]";

/** Where a key may begin: also after an escape of JSON within a text, such as "\n". */
const START = String.raw`(?<=^|[^A-Za-z0-9]|\\[nrtbf])`;
const key = (pattern: string, flags = "g"): RegExp => new RegExp(START + pattern, flags);

/** Each runs in linear time: no repetition within a repetition, and what may fail is bounded or begins once per word. */
const SECRETS: readonly RegExp[] = [
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g,
  key("(?:sk|pk|rk|ak)[-_][A-Za-z0-9_-]{8,}"),
  key("(?:AKIA|ASIA)[0-9A-Z]{16}(?![0-9A-Z])"),
  key("AIza[0-9A-Za-z_-]{20,}"),
  key("(?:gh[pousr]|github_pat|glpat|hf|r8|gsk|xai|whsec)[-_][A-Za-z0-9_-]{16,}"),
  key("xox[a-z]-[A-Za-z0-9-]{10,}"),
  key(String.raw`eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){0,4}`),
  key("(?:Bearer|Basic) {1,4}[A-Za-z0-9+/=._~-]{8,}", "gi"),
];
/** Keys in the query of an address, and credentials before its host. */
const QUERY =
  /([?&;](?:sig|code|auth|password|passwd|[a-z0-9_.-]{0,40}(?:key|token|signature|credential|secret))=)[^&\s"'<>\\#)]+/gi;
const LOGIN = /((?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/?#"'<>@]{1,256}@/gi;
const ADDRESS = /(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]+(?:@|%40)[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}/g;
const DATA = /data:[a-z0-9.+/-]{1,100};base64,[A-Za-z0-9+/=_-]+/gi;
/** May be an encoded secret. */
const ENCODED = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{20,511}={0,2}(?![A-Za-z0-9+/_-])/g;
/** So much without a space is no language. */
const BLOB = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{512,}={0,2}/g;
/** The same in lines, as mails and certificates have it. */
const LINES = /(?<![A-Za-z0-9+/])(?:[A-Za-z0-9+/]{60,100}(?:\r?\n|\\r\\n|\\n)){6,}[A-Za-z0-9+/]{0,100}={0,2}/g;
/** JSON within a text may write any character as an escape. */
const ESCAPE = /\\(?:u00|x)([2-7][0-9a-f])/gi;
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
    text = text.replace(QUERY, `$1${GONE}`).replace(LOGIN, `$1${GONE}@`);
    text = hideNamed(text, GONE).replace(ADDRESS, MAIL);
    text = text.replace(ENCODED, (found) => (hidesSecret(found) ? GONE : found));
    text = text.replace(BLOB, sizeOf).replace(LINES, sizeOf);
    for (const pattern of patterns) text = hideMatches(text, pattern);
    return text;
  };
}

/** The longest match of an operator's pattern that is sure to be found in a long text. */
const MATCH_MAX = 256;
const WINDOW = 1_024;

/** In windows, since the time of an operator's pattern may grow with the square of the text. */
function hideMatches(text: string, pattern: RegExp): string {
  let kept = "";
  let until = 0;
  for (let start = 0; start === 0 || start + MATCH_MAX < text.length; start += WINDOW - MATCH_MAX) {
    for (const match of text.slice(start, start + WINDOW).matchAll(pattern)) {
      const [from, end] = [start + match.index, start + match.index + match[0].length];
      if (end <= until) continue;
      // What continues the match of the window before is one with it.
      if (from >= until) kept += text.slice(until, from) + GONE;
      until = end;
    }
  }
  return kept + text.slice(until);
}

const sizeOf = (found: string): string => `[${found.length} characters]`;

/** Whether it is base64 of a text with a key in it. */
function hidesSecret(word: string): boolean {
  const bytes = Buffer.from(word, "base64");
  if (!isUtf8(bytes)) return false;
  const text = bytes.toString("utf8");
  return SECRETS.some((secret) => text.search(secret) !== -1) || hideNamed(text, "") !== text;
}

const DEPTH_MAX = 64;
/** In JSON schemas a field may be named like a secret, and has none. */
const SCHEMA_TYPE = /^(?:string|object|array|number|integer|boolean)$/;

/** The same for all texts and names in JSON, and for the values of fields that are named like secrets. */
export function redactJson(value: unknown, redact: Redact, depth = 0, isSecret = false): unknown {
  if (isSecret && (typeof value === "string" || typeof value === "number")) return GONE;
  if (typeof value === "string") return redact(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= DEPTH_MAX) return "[too deep]";
  if (Array.isArray(value)) return value.map((item) => redactJson(item, redact, depth + 1, isSecret));
  const pair = secretPair(value as Fields);
  const isInner = isSecret && !SCHEMA_TYPE.test(String((value as Fields).type));
  const entries = Object.entries(value).map(([name, item]) => [
    redact(name),
    redactJson(item, redact, depth + 1, isInner || name === pair || isSecretField(name, item)),
  ]);
  return Object.fromEntries(entries);
}

type Fields = Record<string, unknown>;

/** The logarithms of probabilities name each piece of an answer "token". */
const isSecretField = (name: string, item: unknown): boolean =>
  isSecretName(name) || (/^token$/i.test(name) && typeof item === "string" && /^[^\s]{16,}$/.test(item));

/** The field with the value of a pair such as { name: "Authorization", value: "…" }; null = it is none. */
function secretPair(fields: Fields): string | null {
  const name = fields.name ?? fields.key ?? fields.header;
  if (typeof name !== "string" || !isSecretName(name)) return null;
  return typeof fields.value === "string" ? "value" : "text";
}

/** A text that was cut may end within a secret that is then not recognised: its last word goes as well. */
export function withoutLastWord(text: string): string {
  let end = text.length;
  while (end > 0 && text.length - end < 4_096 && !/\s/.test(text[end - 1] ?? "")) end -= 1;
  return `${text.slice(0, end)}…`;
}
