import { randomInt } from "node:crypto";

/** Without characters that look alike; 32⁶ codes, and five guesses at one. */
const ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";
const CODE_LENGTH = 6;

export const EMAIL_CODE = { kind: "email-code", attemptsMax: 5 } as const;

/** A fresh code of 6 characters (contract §9.3). */
export function makeEmailCode(): string {
  return Array.from({ length: CODE_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
}

/** What was typed, as codes are written. */
export function readEmailCode(typed: string): string {
  return typed.trim().toUpperCase();
}
