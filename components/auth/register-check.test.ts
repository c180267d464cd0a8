import { expect, test } from "vitest";
import { checkRegistration } from "./register-check";

const good = { username: "dora", password: "12345678", password2: "12345678", email: "", code: "" };

test("a password of seven characters is refused before anything is sent, of eight is not (A136, A216)", () => {
  expect(checkRegistration({ ...good, password: "1234567" }, false)?.message).toBe("passwordTooShort");
  expect(checkRegistration(good, false)).toBeNull();
});

test("the screen enforces no longest password; that is the server's (A139, A216)", () => {
  const long = "x".repeat(25);
  expect(checkRegistration({ ...good, password: long, password2: long }, false)).toBeNull();
});

test("length is checked before the passwords are compared, and both before the name (A136, A137)", () => {
  const nothing = { username: "", password: "", password2: "", email: "", code: "" };
  expect(checkRegistration(nothing, true)?.message).toBe("passwordTooShort");
  expect(checkRegistration({ ...good, username: "", password2: "87654321" }, true)?.message).toBe("passwordMismatch");
});

test("address and code are asked for only while addresses are verified (A036)", () => {
  expect(checkRegistration(good, true)?.field).toBe("email");
  expect(checkRegistration({ ...good, email: "d@example.com" }, true)?.field).toBe("code");
});
