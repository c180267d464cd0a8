import { expect, test } from "vitest";
import { classifyFailure } from "./classify-failure";
import { readUpstreamError } from "./upstream-error";

const read = (status: number, body: unknown) =>
  readUpstreamError(status, Buffer.from(JSON.stringify(body))).read((text) => text);

const badKey = {
  code: 400,
  message: "API key not valid. Please pass a valid API key.",
  status: "INVALID_ARGUMENT",
  details: [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" }],
};

test("Google's list of one error is read like the error itself", () => {
  const error = { code: 429, message: "Resource has been exhausted", status: "RESOURCE_EXHAUSTED" };
  expect(read(429, [{ error }])).toEqual(read(429, { error }));
  expect(read(429, [{ error }]).message).toBe("Resource has been exhausted");
  expect(read(500, []).message).toBe("bad response status code 500");
});

test("AWS's message is read in both spellings", () => {
  expect(read(403, { message: "no access" }).message).toBe("no access");
  expect(read(403, { Message: "no access" }).message).toBe("no access");
});

test("a key that Google calls invalid with 400 is treated like one refused with 401", () => {
  const error = read(400, { error: badKey });
  const failure = { kind: "status", status: 400, error, retryAfterMs: null } as const;
  const context = { quirks: {}, statusCodeMapping: new Map(), mayDisable: true, disableKeywords: [] };
  expect(classifyFailure(failure, context)).toMatchObject({
    retry: true,
    again: "never",
    disableReason: "status 400: API key not valid. Please pass a valid API key.",
  });
});

test("another 400 of Google's stays one that is the caller's", () => {
  const error = read(400, { error: { ...badKey, message: "Invalid JSON payload received.", details: [] } });
  const failure = { kind: "status", status: 400, error, retryAfterMs: null } as const;
  const context = { quirks: {}, statusCodeMapping: new Map(), mayDisable: true, disableKeywords: [] };
  expect(classifyFailure(failure, context)).toMatchObject({ retry: false, disableReason: null });
});
