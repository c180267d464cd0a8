import { randomInt } from "node:crypto";
import { Secret, TOTP } from "otpauth";
import { sha256Hex } from "@/lib/crypto";

const PERIOD_SECONDS = 30;
/** Steps before and after the present one that are accepted, for clocks that go wrong. */
const WINDOW = 1;
const RECOVERY_CODES = 10;
const RECOVERY_LENGTH = 16;
/** Without letters and digits that look alike. */
const RECOVERY_ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz";

/** A new secret of 160 bits in base 32. */
export function newTotpSecret(): string {
  return new Secret({ size: 20 }).base32;
}

function totpOf(secret: string): TOTP {
  return new TOTP({ secret: Secret.fromBase32(secret), algorithm: "SHA1", digits: 6, period: PERIOD_SECONDS });
}

/** The otpauth:// address that authenticators read from a QR code. */
export function totpAddress(input: { secret: string; issuer: string; account: string }): string {
  // A colon separates issuer and account in the label.
  const plain = (text: string) => text.replaceAll(":", " ").trim();
  const totp = totpOf(input.secret);
  totp.issuer = plain(input.issuer);
  totp.label = plain(input.account);
  return totp.toString();
}

/** The time step (RFC 6238) that a code is right for, the present one or a neighbour; null when it is wrong. */
export function matchTotpStep(secret: string, code: string, atMs: number): number | null {
  if (!/^\d{6}$/.test(code)) return null;
  const delta = totpOf(secret).validate({ token: code, timestamp: atMs, window: WINDOW });
  return delta === null ? null : Math.floor(atMs / 1000 / PERIOD_SECONDS) + delta;
}

/** Ten codes of about 79 bits each, for when the authenticator is lost: "xxxx-xxxx-xxxx-xxxx". */
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

/** What is kept of a recovery code: salted with the account, blind to case, blanks and dashes. */
export function hashRecoveryCode(userId: number, code: string): string {
  return sha256Hex(`${userId}:${code.toLowerCase().replaceAll(/[\s-]/g, "")}`);
}
