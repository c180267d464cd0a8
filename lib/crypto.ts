import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  hkdfSync,
  type KeyObject,
  randomBytes,
  randomInt,
  scrypt,
  timingSafeEqual,
} from "node:crypto";
import { isBcryptHash, verifyBcrypt } from "./bcrypt";
import { secretText } from "./env";
import { PASSWORD_COST } from "./password-cost";

const ALPHANUMERIC = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const SCRYPT = { r: 8, p: 1, keyLength: 32 } as const;

let derived: { secret: string; key: KeyObject } | undefined;

function deriveSealingKey(secret: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync("sha256", secret, "weir", "seal v1", 32)));
}

function sealingKey(): KeyObject {
  const secret = secretText();
  if (derived?.secret !== secret) derived = { secret, key: deriveSealingKey(secret) };
  return derived.key;
}

/** SHA-256 as 64 hex characters; for lookup of high-entropy secrets, never for passwords. */
export function sha256Hex(text: string): string {
  return hash("sha256", text, "hex");
}

/**
 * The hash of a key of which only the SHA-256 is known: an HMAC of that under WEIR_SECRET, because keys of other systems may be short
 * enough to be guessed. `lib/token/README.md`.
 */
export function importedKeyHash(sha256: string): string {
  return importedKeyHasher(secretText())(sha256);
}

let hmacKey: { secret: string; key: KeyObject } | undefined;

/** The same under a given secret. */
export function importedKeyHasher(secret: string): (sha256: string) => string {
  if (hmacKey?.secret !== secret)
    hmacKey = { secret, key: createSecretKey(Buffer.from(hkdfSync("sha256", secret, "weir", "imported key v1", 32))) };
  const { key } = hmacKey;
  return (sha256) => createHmac("sha256", key).update(sha256).digest("hex");
}

/** Encrypts a secret for storage (AES-256-GCM under WEIR_SECRET): `v1.<nonce>.<tag>.<ciphertext>`, base64url. */
export function seal(text: string): string {
  return sealUnder(sealingKey(), text);
}

/** Decrypts the output of `seal`. Throws when it was altered or sealed under another WEIR_SECRET. */
export function unseal(sealed: string): string {
  return unsealUnder(sealingKey(), sealed);
}

/** `seal` and `unseal` under a given secret, for the change from one to another. */
export function sealerOf(secret: string): { seal: (text: string) => string; unseal: (sealed: string) => string } {
  const key = deriveSealingKey(secret);
  return { seal: (text) => sealUnder(key, text), unseal: (sealed) => unsealUnder(key, sealed) };
}

function sealUnder(key: KeyObject, text: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return ["v1", nonce, cipher.getAuthTag(), body]
    .map((part) => (typeof part === "string" ? part : part.toString("base64url")))
    .join(".");
}

function unsealUnder(key: KeyObject, sealed: string): string {
  const [version, nonce, tag, body] = sealed.split(".");
  if (version !== "v1" || !nonce || !tag || body === undefined) throw new Error("not a sealed value");
  const decipher = createDecipheriv("aes-256-gcm", key, Buffer.from(nonce, "base64url"));
  decipher.setAuthTag(Buffer.from(tag, "base64url"));
  return Buffer.concat([decipher.update(Buffer.from(body, "base64url")), decipher.final()]).toString("utf8");
}

/** `length` characters of [0-9A-Za-z] from the system's cryptographic random source. */
export function randomAlphanumeric(length: number): string {
  let text = "";
  for (let i = 0; i < length; i++) text += ALPHANUMERIC[randomInt(ALPHANUMERIC.length)];
  return text;
}

function derivePassword(password: string, salt: Buffer, cost: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize("NFKC"), salt, SCRYPT.keyLength, { N: cost, r: SCRYPT.r, p: SCRYPT.p }, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}

/** Hashes a password with scrypt and a new salt: `scrypt$N$salt$key`. Occupies one thread-pool thread for about 50–100 ms. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await derivePassword(password, salt, PASSWORD_COST);
  return `scrypt$${PASSWORD_COST}$${salt.toString("base64url")}$${key.toString("base64url")}`;
}

/** Also a bcrypt hash, with which imported accounts come. An unknown format or null takes the time of a scrypt hash and returns false. */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  if (stored !== null && isBcryptHash(stored)) return verifyBcrypt(password, stored);
  const [scheme, cost, salt, key] = (stored ?? `scrypt$${PASSWORD_COST}$AAAA$AAAA`).split("$");
  if (scheme !== "scrypt" || !salt || !key) return false;
  const actual = await derivePassword(password, Buffer.from(salt, "base64url"), Number(cost));
  const expected = Buffer.from(key, "base64url");
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}
