import type { PassThrough } from "../wire/dialects/dialect";

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;
const LETTER_D = 0x64;
const LETTER_E = 0x65;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const DATA = "data:".length;
const EVENT = "event:".length;

/**
 * Whether all of these whole events look like the text of an answer, so that none has to be parsed, and one has data. Checks only how each
 * line begins and ends, because it reads every chunk. `text`: whole lines as latin1.
 */
export function isUsual(text: string, { notableText, frameKey }: PassThrough): boolean {
  let key = -1;
  for (let at = 0; at < text.length; ) {
    const first = text.charCodeAt(at);
    if (first === NEWLINE) {
      at += 1;
      continue;
    }
    const end = text.indexOf("\n", at);
    if (end === -1) return false;
    if (first === LETTER_D) {
      if (key < at) key = text.indexOf(frameKey, at);
      if (key === -1 || key > end || !isWholeData(text, at + DATA, end)) return false;
    } else if (first === LETTER_E) {
      if (text.startsWith("error", textStart(text, at + EVENT))) return false;
    } else if (first !== RETURN) return false;
    at = end + 1;
  }
  return key !== -1 && !notableText.test(text);
}

function textStart(text: string, at: number): number {
  return text.charCodeAt(at) === SPACE ? at + 1 : at;
}

function isWholeData(text: string, start: number, end: number): boolean {
  const last = text.charCodeAt(end - 1) === RETURN ? end - 2 : end - 1;
  return text.charCodeAt(textStart(text, start)) === OPEN_BRACE && text.charCodeAt(last) === CLOSE_BRACE;
}
