import { createCipheriv, createDecipheriv, createHmac, randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { PASSPHRASE_COST } from "../password-cost";
import { BackupError, DamagedBackup } from "./backup-error";

const COST = { N: PASSPHRASE_COST, r: 8, p: 1 } as const;
/** A file cannot make the restore use more than this. */
const MEMORY_BYTES_MAX = 1_073_741_824;
const CHUNK_BYTES = 65_536;
const TAG_BYTES = 16;
const PASSPHRASE_MIN = 8;

export const encryptionSchema = z.object({
  kdf: z.literal("scrypt"),
  cipher: z.literal("aes-256-gcm"),
  N: z.number().int().min(2).max(1_048_576),
  r: z.number().int().min(1).max(16),
  p: z.number().int().min(1).max(4),
  salt: z.string(),
  /** Tells a wrong passphrase from a damaged file. */
  check: z.string(),
});
export type Encryption = z.infer<typeof encryptionSchema>;

type Derived = { key: Buffer; check: string };

function derive(passphrase: string, { N, r, p, salt }: Omit<Encryption, "check" | "kdf" | "cipher">): Promise<Derived> {
  return new Promise((resolve, reject) => {
    const options = { N, r, p, maxmem: MEMORY_BYTES_MAX };
    scrypt(passphrase.normalize("NFKC"), Buffer.from(salt, "base64url"), 64, options, (error, bytes) => {
      if (error) return reject(error);
      const check = createHmac("sha256", bytes.subarray(32)).update("weir backup").digest("base64url");
      resolve({ key: bytes.subarray(0, 32), check });
    });
  });
}

/** A key for one file; each file has its own salt. Throws when the passphrase is shorter than 8 characters. */
export async function newKey(passphrase: string): Promise<{ encryption: Encryption; key: Buffer }> {
  if (passphrase.length < PASSPHRASE_MIN) {
    throw new BackupError(`The passphrase is shorter than ${PASSPHRASE_MIN} characters.`);
  }
  const salt = randomBytes(16).toString("base64url");
  const { key, check } = await derive(passphrase, { ...COST, salt });
  return { encryption: { kdf: "scrypt", cipher: "aes-256-gcm", ...COST, salt, check }, key };
}

/** Throws BackupError when the passphrase is another one. */
export async function keyOf(passphrase: string, encryption: Encryption): Promise<Buffer> {
  const { key, check } = await derive(passphrase, encryption);
  const [given, stored] = [Buffer.from(check), Buffer.from(encryption.check)];
  if (given.length !== stored.length || !timingSafeEqual(given, stored)) {
    throw new BackupError("The passphrase is wrong for this backup. Nothing was changed.");
  }
  return key;
}

/** The number of the chunk, and whether it is the last one: none can be left out, moved or cut off. */
function nonceOf(index: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUIntBE(index, 0, 6);
  nonce[11] = isLast ? 1 : 0;
  return nonce;
}

/** Encrypts in chunks: length, ciphertext, tag. */
export async function* encrypt(source: AsyncIterable<Buffer>, key: Buffer): AsyncGenerator<Buffer> {
  let index = 0;
  const seal = (bytes: Buffer, isLast: boolean): Buffer => {
    const cipher = createCipheriv("aes-256-gcm", key, nonceOf(index++, isLast));
    const head = Buffer.alloc(4);
    head.writeUInt32BE(bytes.length);
    return Buffer.concat([head, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
  };
  let left: Buffer = Buffer.alloc(0);
  for await (const part of source) {
    left = left.length === 0 ? part : Buffer.concat([left, part]);
    for (; left.length > CHUNK_BYTES; left = left.subarray(CHUNK_BYTES)) {
      yield seal(left.subarray(0, CHUNK_BYTES), false);
    }
  }
  yield seal(left, true);
}

/** Throws DamagedBackup at the first chunk that was changed, and when the last one is missing. */
export async function* decrypt(source: AsyncIterable<Buffer>, key: Buffer): AsyncGenerator<Buffer> {
  let index = 0;
  let left: Buffer = Buffer.alloc(0);
  const lengthOf = (): number => (left.length < 4 ? Number.POSITIVE_INFINITY : 4 + left.readUInt32BE(0) + TAG_BYTES);
  const open = (isLast: boolean): Buffer => {
    const length = lengthOf();
    if (left.length < length || length > CHUNK_BYTES + 4 + TAG_BYTES) throw new DamagedBackup("its end is missing");
    const decipher = createDecipheriv("aes-256-gcm", key, nonceOf(index, isLast));
    decipher.setAuthTag(left.subarray(length - TAG_BYTES, length));
    try {
      return Buffer.concat([decipher.update(left.subarray(4, length - TAG_BYTES)), decipher.final()]);
    } catch (error) {
      throw new DamagedBackup(`its part ${index} was changed or its end is missing`, { cause: error });
    }
  };
  for await (const part of source) {
    left = left.length === 0 ? part : Buffer.concat([left, part]);
    // What follows shows that a chunk is not the last one.
    for (let length = lengthOf(); left.length > length; length = lengthOf()) {
      yield open(false);
      left = left.subarray(length);
      index += 1;
    }
  }
  yield open(true);
}
