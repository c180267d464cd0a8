import { readSigned, signedBy } from "../common/signature";

const NAME = "gemini";

/** In canonical form, the signature of a Gemini model says whose it is. */
export function decodeSignature(raw: string): string {
  const foreign = raw.startsWith(FOREIGN) ? fromBase64(raw.slice(FOREIGN.length)) : null;
  return foreign ?? signedBy(NAME, raw);
}

/**
 * Google signs each picture. Some dialects keep signatures apart from texts, so a mark says that the signature is a picture's;
 * those of a message are in the order of its pictures.
 */
export function decodePictureSignature(raw: string): string {
  return signedBy(NAME, `${PICTURE}${raw}`);
}

/** The signature without its mark; null = it is not a picture's. `signature`: as `ownSignature` returns it. */
export function pictureSignature(signature: string): string | null {
  return signature.startsWith(PICTURE) ? signature.slice(PICTURE.length) : null;
}

/** Cannot begin a signature, because base64 has no colon. */
const PICTURE = "picture:";

/** The signature for a Gemini model; null = another upstream made it. */
export function ownSignature(signature: string): string | null {
  return readSigned(NAME, signature);
}

/** Callers keep the signatures of other upstreams too. Google's clients want base64 here. */
export function renderSignature(signature: string): string {
  const own = ownSignature(signature);
  return (own === null ? null : (pictureSignature(own) ?? own)) ?? `${FOREIGN}${toBase64(signature)}`;
}

/** "weir::" in base64. */
const FOREIGN = "d2Vpcjo6";
const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Two bytes a character, so that any text comes back as it was. */
function toBase64(text: string): string {
  let bits = 0;
  let count = 0;
  let written = "";
  for (let i = 0; i < text.length * 2; i++) {
    const unit = text.charCodeAt(i >> 1);
    bits = ((bits << 8) | (i % 2 === 0 ? unit >> 8 : unit & 0xff)) & 0xffff;
    for (count += 8; count >= 6; count -= 6) written += DIGITS.charAt((bits >> (count - 6)) & 63);
  }
  if (count > 0) written += DIGITS.charAt((bits << (6 - count)) & 63);
  return written.padEnd(Math.ceil(written.length / 4) * 4, "=");
}

/** Null = not written by `toBase64`. */
function fromBase64(text: string): string | null {
  const bytes: number[] = [];
  let bits = 0;
  let count = 0;
  // Some clients turn it into the form for URLs.
  for (const digit of text.replace(/=+$/, "").replaceAll("-", "+").replaceAll("_", "/")) {
    const value = DIGITS.indexOf(digit);
    if (value === -1) return null;
    bits = ((bits << 6) | value) & 0xffff;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push((bits >> count) & 0xff);
  }
  if (bytes.length % 2 === 1) return null;
  let read = "";
  for (let i = 0; i < bytes.length; i += 2) read += String.fromCharCode(((bytes[i] ?? 0) << 8) | (bytes[i + 1] ?? 0));
  return read;
}
