import { describe, expect, test } from "vitest";
import { Secrets } from "./secrets";
import { RawError } from "./upstream-error";

const KEY = "sk-proj-Zx81kQmT0vNw4LbR7yHc2JdF5gAs9eUp";

describe("what is taken out of an upstream's words", () => {
  const account = JSON.stringify({
    type: "service_account",
    private_key_id: "0a1b2c3d4e5f60718293a4b5c6d7e8f9",
    private_key: "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEF\nAASCBKcwggSjAgEAAoIBAQC7VJTU\n",
  });
  test.each([
    ["a key", KEY, [], "", KEY],
    ["a key in capitals", KEY, [], "", KEY.toUpperCase()],
    ["the secret of a double key", "public-id.9f8e7d6c5b4a39281706", [], "", "9f8e7d6c5b4a39281706"],
    ["a part of a list", "AKIDEXAMPLE1|wJalrXUtnFEMI|us-east-1", [], "", "wJalrXUtnFEMI"],
    ["a line of a private key", account, [], "", "AASCBKcwggSjAgEAAoIBAQC7VJTU"],
    [
      "a token made from the key",
      "id.secret-secret-secret",
      ["authorization", "eyJhbGciOi.eyJhcGlfa2V5.c2lnbmF0dXJl"],
      "",
      "eyJhbGciOi.eyJhcGlfa2V5.c2lnbmF0dXJl",
    ],
    ["the password of a proxy", KEY, [], "http://user:hunter2%21x@proxy.example", "hunter2!x"],
    [
      "the credentials of a proxy in base64",
      KEY,
      [],
      "socks5://user:hunter22@proxy.example",
      Buffer.from("user:hunter22").toString("base64").slice(0, -1),
    ],
  ])("%s", (_what, key, headers, proxy, secret) => {
    expect(new Secrets(key, headers, proxy).redact(`said ${secret} here`)).not.toContain(secret);
  });

  test("other words stay", () => {
    const text = "Incorrect API key provided: the model does not exist";
    expect(new Secrets(KEY, ["authorization", `Bearer ${KEY}`], "").redact(text)).toBe(text);
    expect(new Secrets("", [], "").redact(text)).toBe(text);
  });

  test("a long text takes linear time", () => {
    const before = process.cpuUsage();
    new Secrets(KEY, ["authorization", `Bearer ${KEY}`], "").redact(KEY.slice(0, 12).repeat(80_000));
    expect(process.cpuUsage(before).user / 1_000_000).toBeLessThan(1);
  });
});

test("an upstream's error shows nothing of its text by itself", () => {
  const error = new RawError({ message: `bad ${KEY}`, type: KEY, param: KEY, code: KEY });
  expect(`${JSON.stringify(error)} ${String(error)}`).not.toContain(KEY.slice(0, 12));
});
