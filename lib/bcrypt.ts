import { timingSafeEqual } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { blowfishStart } from "./blowfish-start";

/** `$2a$10$` and the like, 22 characters of salt, 31 of hash. */
const FORMAT = /^\$2[aby]\$(\d\d)\$([./A-Za-z0-9]{22})([./A-Za-z0-9]{31})$/;
const ALPHABET = "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const SALT_BYTES = 16;
/** The last byte of the 24 that bcrypt computes is not stored. */
const HASH_BYTES = 23;
const PASSWORD_BYTES_MAX = 72;
/** 2^15 rounds take seconds; who wants more than that wants to keep the process busy. */
const COST_MAX = 15;
const COST_MIN = 4;
/** Rounds between two turns of the event loop: a few milliseconds. */
const ROUNDS_PER_TURN = 32;
const SUBKEYS = 18;
const BOXES = 1_024;

type State = { p: Int32Array; s: Int32Array };

export function isBcryptHash(stored: string): boolean {
  const found = FORMAT.exec(stored);
  const cost = Number(found?.[1]);
  return cost >= COST_MIN && cost <= COST_MAX;
}

/**
 * Whether the password has this bcrypt hash. Accounts from other systems come with such hashes. It gives other requests a turn
 * every few milliseconds. An unknown format is false.
 */
export async function verifyBcrypt(password: string, stored: string): Promise<boolean> {
  const [, cost, salt, hash] = FORMAT.exec(stored) ?? [];
  if (cost === undefined || salt === undefined || hash === undefined || !isBcryptHash(stored)) return false;
  const computed = await compute(passwordBytes(password), decode(salt, SALT_BYTES), Number(cost));
  return timingSafeEqual(computed, decode(hash, HASH_BYTES));
}

/** The password and a zero byte, of which bcrypt reads the first 72 bytes. */
function passwordBytes(password: string): Buffer {
  return Buffer.concat([Buffer.from(password, "utf8"), Buffer.of(0)]).subarray(0, PASSWORD_BYTES_MAX);
}

async function compute(password: Buffer, salt: Buffer, cost: number): Promise<Buffer> {
  const state = startState();
  const passwordWords = cycle(password, SUBKEYS);
  const saltWords = cycle(salt, SUBKEYS);
  const noSalt = new Int32Array(4);
  expand(state, passwordWords, saltWords.subarray(0, 4));
  for (let round = 0; round < 2 ** cost; round++) {
    expand(state, passwordWords, noSalt);
    expand(state, saltWords, noSalt);
    if (round % ROUNDS_PER_TURN === ROUNDS_PER_TURN - 1) await nextTurn();
  }
  return encryptText(state);
}

function startState(): State {
  const words = blowfishStart(SUBKEYS + BOXES);
  return { p: words.slice(0, SUBKEYS), s: words.slice(SUBKEYS) };
}

/** The bytes again and again, as big-endian words. */
function cycle(bytes: Buffer, words: number): Int32Array {
  const repeated = Buffer.alloc(words * 4);
  for (let at = 0; at < repeated.length; at++) repeated[at] = bytes[at % bytes.length] ?? 0;
  return Int32Array.from({ length: words }, (_, word) => repeated.readInt32BE(word * 4));
}

/** Blowfish's key schedule. The salt goes into each block that is encrypted for it. */
function expand({ p, s }: State, key: Int32Array, salt: Int32Array): void {
  for (let at = 0; at < SUBKEYS; at++) p[at] = (p[at] ?? 0) ^ (key[at] ?? 0);
  const block = new Int32Array(2);
  let saltAt = 0;
  for (const target of [p, s]) {
    for (let at = 0; at < target.length; at += 2) {
      block[0] = (block[0] ?? 0) ^ (salt[saltAt] ?? 0);
      block[1] = (block[1] ?? 0) ^ (salt[saltAt + 1] ?? 0);
      saltAt ^= 2;
      encryptBlock(p, s, block, 0);
      target[at] = block[0] ?? 0;
      target[at + 1] = block[1] ?? 0;
    }
  }
}

function encryptBlock(p: Int32Array, s: Int32Array, block: Int32Array, at: number): void {
  let left = ((block[at] ?? 0) ^ (p[0] ?? 0)) | 0;
  let right = (block[at + 1] ?? 0) | 0;
  for (let round = 1; round <= 16; round += 2) {
    right ^= mix(s, left) ^ (p[round] ?? 0);
    left ^= mix(s, right) ^ (p[round + 1] ?? 0);
  }
  block[at] = right ^ (p[17] ?? 0);
  block[at + 1] = left;
}

function mix(s: Int32Array, word: number): number {
  const sum = ((s[word >>> 24] ?? 0) + (s[256 + ((word >>> 16) & 255)] ?? 0)) ^ (s[512 + ((word >>> 8) & 255)] ?? 0);
  return (sum + (s[768 + (word & 255)] ?? 0)) | 0;
}

/** bcrypt's text, encrypted 64 times. */
function encryptText({ p, s }: State): Buffer {
  const text = Buffer.from("OrpheanBeholderScryDoubt", "ascii");
  const words = cycle(text, text.length / 4);
  for (let block = 0; block < words.length; block += 2) {
    for (let time = 0; time < 64; time++) encryptBlock(p, s, words, block);
  }
  const bytes = Buffer.alloc(text.length);
  for (const [at, word] of words.entries()) bytes.writeInt32BE(word, at * 4);
  return bytes.subarray(0, HASH_BYTES);
}

/** bcrypt's own order of the base64 characters, without padding. */
function decode(text: string, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let bits = 0;
  let held = 0;
  let at = 0;
  for (const character of text) {
    held = ((held << 6) | ALPHABET.indexOf(character)) & 0xffff;
    bits += 6;
    if (bits >= 8 && at < length) {
      bits -= 8;
      bytes[at++] = (held >>> bits) & 255;
    }
  }
  return bytes;
}
