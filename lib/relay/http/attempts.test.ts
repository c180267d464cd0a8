import { expect, test } from "vitest";
import { EMPTY_CODE, UNREADABLE_CODE } from "../base/classify-failure";
import { causeOf, TimeLimitReached } from "../base/failure-cause";
import { describeAttempt, failureCause } from "./attempts";

const status = (code: number, name: string | null = null) =>
  ({
    kind: "status",
    status: code,
    retryAfterMs: null,
    error: { message: "no", type: "upstream_error", param: null, code: name },
  }) as const;

test("a status says why an attempt failed", () => {
  const causes = [401, 403, 429, 404, 408, 504, 500, 529, 307].map((code) => failureCause(status(code)));
  expect(causes).toEqual([
    ...["key", "key", "limit", "request", "timeout_upstream", "timeout_upstream", "overload", "overload", "bad_answer"],
  ]);
  expect([UNREADABLE_CODE, EMPTY_CODE].map((name) => failureCause(status(502, name)))).toEqual([
    "bad_answer",
    "bad_answer",
  ]);
});

test("the error of a connection says why an attempt failed", () => {
  const codes = [
    ...["ECONNREFUSED", "EHOSTUNREACH", "ENOTFOUND", "CERT_HAS_EXPIRED", "ERR_TLS_CERT_ALTNAME_INVALID"],
    ...["ECONNRESET", "UND_ERR_SOCKET", "UND_ERR_CONNECT_TIMEOUT", "HPE_INVALID_CONSTANT", "invalid"],
  ];
  expect(codes.map((code) => causeOf(Object.assign(new Error(code), { code })))).toEqual([
    ...["connect", "connect", "dns", "tls", "tls", "reset", "reset", "timeout_connect", "bad_answer", "setup"],
  ]);
  expect(causeOf(new TimeLimitReached("idle"))).toBe("idle");
  expect(causeOf(new Error("the upstream's response is too large"))).toBe("bad_answer");
});

test("a limit of ours is a timeout for the channel's health", () => {
  const note = describeAttempt({ kind: "network", message: "late", cause: "timeout_first_token" });
  expect(note).toEqual({ outcome: "timeout", cause: "timeout_first_token", message: "late" });
});
