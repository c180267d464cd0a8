import { expect, test } from "vitest";
import { decryptValue } from "./decrypt-value";

// Made with PyNaCl and cryptography, the libraries that LiteLLM uses.
const KEY = "sk-salt-of-there";
const VALUES = [
  ["wSjsN7IGfsdxRqckKVHQf5RzhRnhuRVrYcCwybx4cnDLcoVafHuKQoRjPxzpqA==", "sk-old"],
  ["yO1grPlNnJOcvM48HSQ0JbLGF3XP9_SMGxHv2ZMdwBmdc2gsASrQ5zuDIgHO0fyfkAyaUeYMiedgq5h5", "openai/gpt-4.1 ünï"],
  ["v2:gcm:j68yax2L0HNW71raRpq_vlhR6gLsZwL0J1ujIdQtlqp-h5PIeA==", "sk-second"],
  ["v3:gcm:28oyZGZpLwwB3wh9rltaPRFALZoSBGzJMqFCfaEAO5lP_O71", "sk-third"],
] as const;

test.each(VALUES)("LiteLLM's %s is decrypted, and not with another key", (value, text) => {
  expect(decryptValue(value, KEY)).toBe(text);
  expect(decryptValue(value, `${KEY} `)).toBeNull();
  expect(decryptValue(value, "")).toBeNull();
});

test.each(["", "*", "plain text", "v3:gcm:", "v2:gcm:AAAA", "v9:gcm:AAAA", "A".repeat(80), `${"A".repeat(100_000)}=`])(
  "what is no value of LiteLLM's is none: %.20s",
  (value) => {
    expect(decryptValue(value, KEY)).toBeNull();
  },
);

test("a value of which one byte is another is none", () => {
  for (const [value] of VALUES) {
    const at = value.length - 12;
    const damaged = `${value.slice(0, at)}${value[at] === "A" ? "B" : "A"}${value.slice(at + 1)}`;
    expect(decryptValue(damaged, KEY)).toBeNull();
  }
});
