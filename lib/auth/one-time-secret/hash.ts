import { createHmac, hkdfSync } from "node:crypto";
import { secretText } from "@/lib/env";

let derived: { secret: string; key: Buffer } | undefined;

function hashingKey(): Buffer {
  const secret = secretText();
  if (derived?.secret !== secret) {
    derived = { secret, key: Buffer.from(hkdfSync("sha256", secret, "weir", "one-time secret v1", 32)) };
  }
  return derived.key;
}

/**
 * The stored form of a one-time secret: an HMAC under WEIR_SECRET, because a plain hash of a six-character code could
 * be brute-forced. It covers kind and subject, so that a row copied to another subject is useless.
 */
export function hashSecret(kind: string, subject: string, secret: string): string {
  return createHmac("sha256", hashingKey())
    .update(JSON.stringify([kind, subject, secret]))
    .digest("hex");
}
