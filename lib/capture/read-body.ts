import { isUtf8 } from "node:buffer";
import { readStream } from "./read-stream";
import { type Redact, redactJson, withoutLastWord } from "./redact";
import { isSecretName } from "./secret-names";
import type { CapturedBody } from "./types";

const EMPTY: CapturedBody = { json: null, text: "", parts: [], isCut: false, isBinary: false };

export type RawBody = {
  bytes: Buffer;
  /** `bytes` are only the beginning. */
  isCut: boolean;
};

/** What is kept of a body: without secrets, and at most `charactersMax`. */
export function readBody({ bytes, isCut }: RawBody, redact: Redact, charactersMax: number): CapturedBody {
  if (bytes.length === 0) return { ...EMPTY, isCut };
  const text = textOf(bytes, isCut);
  if (text === null) return { ...EMPTY, isCut, isBinary: true };
  const json = isCut ? undefined : parse(text);
  if (json !== undefined) {
    const clean = redactJson(json, redact);
    const length = JSON.stringify(clean).length;
    if (length <= charactersMax) return { ...EMPTY, json: clean };
    return { ...EMPTY, text: cut(JSON.stringify(clean), charactersMax), isCut: true };
  }
  const parts = readStream(text);
  if (parts) return { ...EMPTY, ...keepParts(parts, redact, { isCut, charactersMax }) };
  const clean = redact(isCut ? withoutLastWord(text) : text);
  return { ...EMPTY, text: cut(clean, charactersMax), isCut: isCut || clean.length > charactersMax };
}

/** Null = it is no text. A character that was cut at the end is left out. */
function textOf(bytes: Buffer, isCut: boolean): string | null {
  for (let dropped = 0; dropped < (isCut ? 4 : 1); dropped++) {
    const whole = dropped === 0 ? bytes : bytes.subarray(0, bytes.length - dropped);
    if (!isUtf8(whole)) continue;
    return whole.includes(0) ? null : whole.toString("utf8");
  }
  return null;
}

const LAST_NAME = /([^.[\]]+)(?:\[\d+\])*$/;

type Part = CapturedBody["parts"][number];

function keepParts(
  parts: readonly Part[],
  redact: Redact,
  { isCut, charactersMax }: { isCut: boolean; charactersMax: number },
): Pick<CapturedBody, "parts" | "isCut"> {
  let left = charactersMax;
  let isTooLong = false;
  const kept: Part[] = [];
  for (const part of parts) {
    const name = LAST_NAME.exec(part.path)?.[1] ?? "";
    const clean = isSecretName(name) ? "[redacted]" : redact(isCut ? withoutLastWord(part.text) : part.text);
    const text = cut(clean, left);
    isTooLong ||= text.length < clean.length;
    left -= text.length + part.path.length;
    kept.push({ path: redact(part.path), text });
    if (left <= 0) return { parts: kept, isCut: true };
  }
  return { parts: kept, isCut: isCut || isTooLong };
}

const cut = (text: string, max: number): string => (text.length > max ? text.slice(0, Math.max(0, max)) : text);

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
