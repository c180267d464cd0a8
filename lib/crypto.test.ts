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
