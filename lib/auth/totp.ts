import { randomInt } from "node:crypto";
import { Secret, TOTP } from "otpauth";
import { sha256Hex } from "@/lib/crypto";

const PERIOD_SECONDS = 30;
/** Time steps accepted before and after the current one, to tolerate clock differences. */
const WINDOW = 1;
const RECOVERY_CODES = 10;
const RECOVERY_LENGTH = 16;
/** No letters or digits that look alike. */
const RECOVERY_ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz";

/** 160 bits in base 32. */
export function newTotpSecret(): string {
  return new Secret({ size: 20 }).base32;
}

function totpOf(secret: string): TOTP {
  return new TOTP({ secret: Secret.fromBase32(secret), algorithm: "SHA1", digits: 6, period: PERIOD_SECONDS });
}

/** The otpauth:// URL for the QR code. */
export function totpAddress(input: { secret: string; issuer: string; account: string }): string {
  // A colon separates issuer and account in the label.
  const plain = (text: string) => text.replaceAll(":", " ").trim();
  const totp = totpOf(input.secret);
  totp.issuer = plain(input.issuer);
  totp.label = plain(input.account);
  return totp.toString();
}

/** The time step (RFC 6238) that the code matches, the current one or a neighbour; null when it is wrong. */
export function matchTotpStep(secret: string, code: string, atMs: number): number | null {
  if (!/^\d{6}$/.test(code)) return null;
  const delta = totpOf(secret).validate({ token: code, timestamp: atMs, window: WINDOW });
  return delta === null ? null : Math.floor(atMs / 1000 / PERIOD_SECONDS) + delta;
}

/** Ten codes of about 79 bits each, "xxxx-xxxx-xxxx-xxxx", for a lost authenticator. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () => {
    let code = "";
    for (let at = 0; at < RECOVERY_LENGTH; at++) {
      code += RECOVERY_ALPHABET[randomInt(RECOVERY_ALPHABET.length)];
      if (at % 4 === 3 && at + 1 < RECOVERY_LENGTH) code += "-";
    }
    return code;
  });
}

/** The stored form of a recovery code, salted with the user id. Case, blanks and dashes are ignored. */
export function hashRecoveryCode(userId: number, code: string): string {
  return sha256Hex(`${userId}:${code.toLowerCase().replaceAll(/[\s-]/g, "")}`);
}
