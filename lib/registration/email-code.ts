import { randomInt } from "node:crypto";

/** No characters that look alike. 32⁶ codes, with five guesses for each code. */
const ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";
const CODE_LENGTH = 6;

export const EMAIL_CODE = { kind: "email-code", attemptsMax: 5 } as const;

/** A new code of 6 characters (contract §9.3). */
export function makeEmailCode(): string {
  return Array.from({ length: CODE_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
}

/** Normalizes a typed code. */
export function readEmailCode(typed: string): string {
  return typed.trim().toUpperCase();
}
