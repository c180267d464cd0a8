const WORDS =
  "(?:password|passwd|passphrase|pwd|secret(?:[_-]?(?:access[_-]?)?key)?|api[_-]?key|private[_-]?key|credential|cookie|authorization" +
  "|(?:access|auth|authorization|refresh|session|security|bearer|bot|oauth|csrf|xsrf|(?<![a-z])id)[_-]?token)s?";
const NAME = new RegExp(`^[\\w-]{0,60}?${WORDS}$`, "i");
const NAME_MAX = 80;

/** Whether a field of this name holds a secret, whatever that looks like. */
export function isSecretName(name: string): boolean {
  return NAME.test(name.slice(-NAME_MAX));
}

/** A name and what stands between it and its value, in JSON (also within a text), code, forms, headers and XML. */
const NAMED = new RegExp(`(?<![\\w-])[\\w-]{0,60}?(${WORDS})\\\\{0,8}["']?\\s{0,4}(?:[:=]{1,2}>?|>)\\s{0,4}`, "gi");
const QUOTE = /\\{0,8}["']/y;
const WORD = /[^\s"'`,;&<>(){}[\]\\]+/y;
/** A header's value may have several words. */
const LINE = /[^\r\n"'\\]+/y;
const LINE_NAME = /^(?:authorization|cookie)s?$/i;
const HARMLESS = /^(?:null|true|false|undefined)$/;

/** The text with `gone` in place of values whose names say that they are secrets. Linear in its length. */
export function hideNamed(text: string, gone: string): string {
  let kept = "";
  let at = 0;
  NAMED.lastIndex = 0;
  for (let found = NAMED.exec(text); found; found = NAMED.exec(text)) {
    const start = NAMED.lastIndex;
    const value = valueAt(text, start, found[1] ?? "", gone);
    if (!value) continue;
    kept += text.slice(at, value.from) + gone;
    at = value.until;
    NAMED.lastIndex = at;
  }
  return kept + text.slice(at);
}

type Span = { from: number; until: number };

function valueAt(text: string, start: number, name: string, gone: string): Span | null {
  if (gone !== "" && text.startsWith(gone, start)) return null;
  const quote = matchAt(QUOTE, text, start);
  if (quote) return { from: start + quote.length, until: closing(text, start + quote.length, quote) };
  if (text[start] === "[") {
    const end = text.indexOf("]", start);
    return { from: start + 1, until: end === -1 ? text.length : end };
  }
  const value = matchAt(LINE_NAME.test(name) ? LINE : WORD, text, start);
  return value === null || HARMLESS.test(value) ? null : { from: start, until: start + value.length };
}

/** Where a quoted text ends: at a quote with no more backslashes before it than its first one had. */
function closing(text: string, from: number, quote: string): number {
  let end = text.indexOf(quote, from);
  while (end > from && text[end - 1] === "\\") end = text.indexOf(quote, end + 1);
  return end === -1 ? text.length : end;
}

function matchAt(pattern: RegExp, text: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? null;
}
