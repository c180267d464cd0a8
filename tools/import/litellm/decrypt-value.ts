import { createDecipheriv, createHash, hkdfSync } from "node:crypto";
import { secretbox } from "@noble/ciphers/salsa";

/** Derives the key of a value from LITELLM_SALT_KEY, or from the master key where there is none. */
type Derive = (saltKey: string) => Buffer;

const byHash: Derive = (saltKey) => createHash("sha256").update(saltKey).digest();
const byHkdf: Derive = (saltKey) => Buffer.from(hkdfSync("sha256", saltKey, "", "litellm-at-rest-v3", 32));

/** AES-256-GCM, of LiteLLM since 2026, by the beginning of a value. */
const VERSIONS: readonly (readonly [prefix: string, derive: Derive])[] = [
  ["v3:gcm:", byHkdf],
  ["v2:gcm:", byHash],
];
const GCM_NONCE_BYTES = 12;
/** XSalsa20 and Poly1305, of all before: a nonce and a tag. */
const BOX_NONCE_BYTES = 24;
const TAG_BYTES = 16;

/** A text that LiteLLM has encrypted in its database; null = it is none, or the key is another one. */
export function decryptValue(value: string, saltKey: string): string | null {
  try {
    const known = VERSIONS.find(([prefix]) => value.startsWith(prefix));
    return known
      ? openGcm(bytesOf(value.slice(known[0].length)), known[1](saltKey))
      : openBox(bytesOf(value), byHash(saltKey));
  } catch {
    // Whatever is wrong with it, there is no telling a wrong key from a damaged value.
    return null;
  }
}

/** Of either alphabet of base64. */
const bytesOf = (text: string): Buffer => Buffer.from(text, "base64");

function openGcm(bytes: Buffer, key: Buffer): string {
  const nonce = bytes.subarray(0, GCM_NONCE_BYTES);
  const cipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  const text = cipher.update(bytes.subarray(GCM_NONCE_BYTES, -TAG_BYTES));
  return Buffer.concat([text, cipher.final()]).toString("utf8");
}

function openBox(bytes: Buffer, key: Buffer): string {
  if (bytes.length < BOX_NONCE_BYTES + TAG_BYTES) throw new Error("too short");
  const box = secretbox(key, bytes.subarray(0, BOX_NONCE_BYTES));
  return Buffer.from(box.open(bytes.subarray(BOX_NONCE_BYTES))).toString("utf8");
}
