import { expect, test } from "vitest";
import type { AttemptFailure } from "../../base/classify-failure";
import type { FailureCause } from "../../base/failure-cause";
import { circuitCause } from "./circuit-cause";

const failed = (status: number, error: { type?: string; code?: string } = {}): AttemptFailure => ({
  kind: "status",
  status,
  error: { message: "no", type: "upstream_error", param: null, code: null, ...error },
  retryAfterMs: null,
});

const causeOf = (status: number, error = {}, quirks = {}) => circuitCause(failed(status, error), status, quirks);

test("errors about the request never count, whatever they say", () => {
  for (const status of [400, 404, 409, 413, 422]) expect(causeOf(status)).toBeNull();
  expect(causeOf(400, { code: "invalid_api_key" })).toBeNull();
  expect(circuitCause({ kind: "setup", message: "circle" }, 0, {})).toBeNull();
});

test("a 403 counts only where it is about the account: a caller's contents close no channel", () => {
  expect(causeOf(403, { code: "content_policy_violation" })).toBeNull();
  expect(causeOf(403, { type: "permission_error" })).toBe("key");
  expect(causeOf(403, {}, { forbiddenMeansDead: true })).toBe("key");
});

test("keys, limits, timeouts and faults are told apart", () => {
  expect([401, 402, 429, 408, 504, 524, 500, 502, 503, 529].map((status) => causeOf(status))).toEqual([
    ...["key", "key", "limit", "timeout", "timeout", "timeout"],
    ...["overload", "overload", "overload", "overload"],
  ]);
  expect(causeOf(429, { type: "insufficient_quota" })).toBe("key");
  const network = (cause: FailureCause) => circuitCause({ kind: "network", message: "", cause }, 0, {});
  expect([network("timeout_first_byte"), network("idle"), network("reset"), network("bad_answer")]).toEqual([
    ...["timeout", "timeout", "network", "network"],
  ]);
  expect([network("setup"), network("too_large")]).toEqual([null, null]);
});

test("the channel's status code mapping decides", () => {
  expect(circuitCause(failed(400), 500, {})).toBe("overload");
  expect(circuitCause(failed(500), 400, {})).toBeNull();
});
