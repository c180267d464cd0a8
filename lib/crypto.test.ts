import { scryptSync } from "node:crypto";
import { expect, test } from "vitest";
import { hashPassword, verifyPassword } from "./crypto";
// With its extension: without it, tests get the low cost.
import { PASSWORD_COST } from "./password-cost.ts";

const PASSWORD = "correct horse";

test("a password is hashed with its own salt, verified by itself only, and at the low cost in tests", async () => {
  const hashes = await Promise.all([hashPassword(PASSWORD), hashPassword(PASSWORD)]);
  expect(new Set(hashes).size).toBe(2);
  for (const hash of hashes) {
    expect(hash).toMatch(/^scrypt\$16\$/);
    expect(await verifyPassword(PASSWORD, hash)).toBe(true);
    expect(await verifyPassword("correct horsf", hash)).toBe(false);
  }
  for (const stored of [null, "", "bcrypt$1$AAAA$AAAA"]) expect(await verifyPassword(PASSWORD, stored)).toBe(false);
});

test("in production a hash costs scrypt with N = 16,384, and what it stored is verified", async () => {
  expect(PASSWORD_COST).toBe(16_384);
  const salt = Buffer.alloc(16, 7);
  const key = scryptSync(PASSWORD, salt, 32, { N: PASSWORD_COST, r: 8, p: 1 });
  const stored = `scrypt$${PASSWORD_COST}$${salt.toString("base64url")}$${key.toString("base64url")}`;
  expect(await verifyPassword(PASSWORD, stored)).toBe(true);
  expect(await verifyPassword("correct horsf", stored)).toBe(false);
});

// Made by other programs: OpenBSD's published examples, and libcrypt's of an empty, a long and a password beyond ASCII.
const FOREIGN = [
  ["", "$2b$04$kHK3Ng2IMCrSPDG9wmkm6uhzqco412viw.4wBmgobNuyXT5ecPzBi"],
  ["a", "$2a$06$m0CrhHm10qJ3lXRY.5zDGO3rS2KdeeWLuGmsfGlMfOxih58VYVfxe"],
  ["abc", "$2a$08$Ro0CUfOqk6cXEKf3dyaM7OhSCvnwM9s4wIX9JeLapehKK5YdLxKcm"],
  ["pässword", "$2b$04$guKi1eVl61I8ToKeZ5bpaurV5cilBn5HCc.bg7iniFFdoJlWL2eFC"],
  ["0123456789".repeat(8), "$2b$04$/EQJ9yKYn4t7rhXdzuN/5O6QvTJ7e7ZP2mFSEGzIRcmeHNaaXII9."],
] as const;

test("a bcrypt hash of another program is verified, by its password only", async () => {
  for (const [password, hash] of FOREIGN) {
    expect(await verifyPassword(password, hash), password).toBe(true);
    // Beyond the 72 bytes that bcrypt reads, there is no difference.
    if (password.length < 72) expect(await verifyPassword(`${password}x`, hash)).toBe(false);
  }
});

test("a bcrypt hash of a cost that would occupy the process for seconds, or of a broken form, verifies nothing", async () => {
  const [[password, hash]] = [FOREIGN[1]];
  for (const broken of [
    hash.replace("$06$", "$31$"),
    hash.replace("$06$", "$03$"),
    hash.slice(0, -1),
    `${hash}a`,
    "$2a$",
  ])
    expect(await verifyPassword(password, broken)).toBe(false);
});
