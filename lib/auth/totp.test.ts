import { Secret } from "otpauth";
import { expect, test } from "vitest";
import { hashRecoveryCode, matchTotpStep, newRecoveryCodes, newTotpSecret, totpAddress } from "./totp";

const RFC_SECRET = Secret.fromLatin1("12345678901234567890").base32;

// RFC 6238, appendix B: the last six of the eight digits.
test.each([
  [59, "287082"],
  [1_111_111_109, "081804"],
  [1_234_567_890, "005924"],
  [20_000_000_000, "353130"],
])("the codes are those of RFC 6238 at %d s", (seconds, code) => {
  expect(matchTotpStep(RFC_SECRET, code, seconds * 1000)).toBe(Math.floor(seconds / 30));
});

test("a code is taken one step early or late, not two", () => {
  const at = (steps: number) => matchTotpStep(RFC_SECRET, "081804", (1_111_111_109 + steps * 30) * 1000);
  expect([-2, -1, 0, 1, 2].map(at)).toEqual([null, 37037036, 37037036, 37037036, null]);
});

test.each(["", "08180", "0818044", "08180a", "-81804", "８１８０４０"])("what is no code is none: %s", (code) => {
  expect(matchTotpStep(RFC_SECRET, code, 1_111_111_109_000)).toBeNull();
});

test("the address names issuer and account, and a colon in them does not mislead an authenticator", () => {
  const address = new URL(totpAddress({ secret: newTotpSecret(), issuer: "Weir: two", account: "a:b" }));
  expect(decodeURIComponent(address.pathname)).toBe("/Weir  two:a b");
  expect(address.searchParams.get("issuer")).toBe("Weir  two");
});

test("recovery codes are ten, unlike, and judged without regard to case, blanks and dashes", () => {
  const codes = newRecoveryCodes();
  expect(new Set(codes).size).toBe(10);
  for (const code of codes) expect(code).toMatch(/^([2-9a-hjkmnp-z]{4}-){3}[2-9a-hjkmnp-z]{4}$/);
  const [code = ""] = codes;
  expect(hashRecoveryCode(1, code.toUpperCase().replaceAll("-", " "))).toBe(hashRecoveryCode(1, code));
  expect(hashRecoveryCode(2, code)).not.toBe(hashRecoveryCode(1, code));
});
