import { expect, test } from "vitest";
import { compilePatterns, isSafePattern } from "@/lib/patterns";
import { readBody } from "./read-body";
import { createRedact } from "./redact";

const redact = createRedact(compilePatterns(["ACME-\\d{4}"]) ?? []);
const KEY = `sk-${"aB3".repeat(16)}`;
const read = (text: string, isCut = false) => readBody({ bytes: Buffer.from(text), isCut }, redact, 65_536);
const stream = (pieces: string[]) =>
  `${pieces.map((content) => `data: ${JSON.stringify({ id: "x", choices: [{ index: 0, delta: { content } }] })}\n\n`).join("")}data: [DONE]\n\n`;

test.each([
  [`my key is ${KEY}.`, "my key is [redacted]."],
  ["write to Jane.Doe+x@mail.example.org now", "write to [e-mail] now"],
  ["Authorization: Bearer abcdefghijkl", "Authorization: [redacted]"],
  ["AKIAABCDEFGHIJKLMNOP and AIzaSyA1234567890abcdefghijk", "[redacted] and [redacted]"],
  ["order ACME-1234", "order [redacted]"],
  ["-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----", "[redacted]"],
  ["data:image/png;base64,iVBORw0KGgo=", "[file of 34 characters]"],
  ["eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl", "[redacted]"],
])("%s is kept as %s", (text, kept) => {
  expect(redact(text)).toBe(kept);
});

test("secrets are found in JSON whatever their escapes, names and depth", () => {
  const body = `{"messages":[{"content":"s\\u006b-${"aB3".repeat(9)}"}],"password":"hunter2","x":{"api_key":"short"}}`;
  expect(read(body).json).toEqual({
    messages: [{ content: "[redacted]" }],
    password: "[redacted]",
    x: { api_key: "[redacted]" },
  });
  const nested = JSON.stringify({ arguments: `{"k":"s\\u006b-${"aB3".repeat(9)}"}` });
  expect(JSON.stringify(read(nested).json)).not.toContain("aB3");
  expect(() => read(`${"[".repeat(50_000)}1${"]".repeat(50_000)}`)).not.toThrow();
});

test("a secret that came in pieces over the events of a stream is found", () => {
  for (let at = 1; at < KEY.length; at++) {
    const { parts } = read(stream(["the key: ", KEY.slice(0, at), KEY.slice(at), " and jane@", "mail.example"]));
    expect(parts).toEqual([{ path: "choices[0].delta.content", text: "the key: [redacted] and [e-mail]" }]);
  }
  const byCharacter = read(stream([...`key ${KEY} end`])).parts;
  expect(byCharacter).toEqual([{ path: "choices[0].delta.content", text: "key [redacted] end" }]);
});

test("the streams of all dialects are put together", () => {
  const anthropic = [
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "one " } },
    { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: "{}" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "two" } },
  ];
  const text = anthropic.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
  expect(read(text).parts).toEqual([
    { path: "#0.delta.text", text: "one two" },
    { path: "#1.delta.partial_json", text: "{}" },
  ]);
});

test("what is cut in the middle of a secret does not keep its beginning", () => {
  for (let at = 1; at < KEY.length; at++) {
    expect(read(`{"content":"my key ${KEY.slice(0, at)}`, true).text).toBe('{"content":"my key …');
    const { parts } = read(stream(["key ", KEY.slice(0, at)]), true);
    expect(parts).toEqual([{ path: "choices[0].delta.content", text: "key …" }]);
  }
});

test("bytes that are no text are not kept, half a character at the end is no such byte", () => {
  expect(readBody({ bytes: Buffer.from([0xff, 0xd8, 0xff]), isCut: false }, redact, 10)).toMatchObject({
    isBinary: true,
    text: "",
  });
  const cut = Buffer.from("好 好").subarray(0, 6);
  expect(readBody({ bytes: cut, isCut: true }, redact, 10)).toMatchObject({ isBinary: false, isCut: true });
});

test("no text takes long, and none is kept beyond the limit", () => {
  const started = performance.now();
  for (const piece of [
    "a",
    "a@",
    "a.",
    "sk-",
    "data:a;base64,",
    "-----BEGIN A PRIVATE KEY-----",
    "eyJ.",
    "\\u0061",
    "Bearer ",
  ]) {
    expect(read(piece.repeat(60_000 / piece.length)).text.length).toBeLessThanOrEqual(65_536);
  }
  expect(performance.now() - started).toBeLessThan(2_000);
  expect(
    readBody({ bytes: Buffer.from(stream(["word ".repeat(100)])), isCut: false }, redact, 50).parts[0]?.text,
  ).toHaveLength(50);
});

test.each(["(a+)+b", "(a|b)*c", "((a)b)*", "(.)\\1+", "a*", "(", "x".repeat(201), "", "a+b+c+d+e"])(
  "the pattern %j is refused",
  (pattern) => {
    expect(isSafePattern(pattern)).toBe(false);
  },
);
