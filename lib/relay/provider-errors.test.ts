import { expect, test } from "vitest";
import { requestFault } from "./request-faults";
import { readUpstreamError, reportedStatus } from "./upstream-error";

const spark = (code: unknown): object => ({ header: { code, message: "AppIdNoAuthError:(x)", sid: "s", status: 2 } });
const zhipu = (code: unknown): object => ({ code, msg: "no such thing", success: false });

test.each([
  [spark(10_313), 401, "AppIdNoAuthError:(x)", null],
  [spark("11202"), 429, "AppIdNoAuthError:(x)", null],
  [spark(11_200), 403, "AppIdNoAuthError:(x)", null],
  [spark(10_013), 400, "AppIdNoAuthError:(x)", "policy"],
  [spark(10_907), 400, "AppIdNoAuthError:(x)", "context"],
  [spark(10_110), 503, "AppIdNoAuthError:(x)", null],
  [spark(10_222), 502, "AppIdNoAuthError:(x)", null],
  [zhipu(1002), 401, "no such thing", null],
  [zhipu(1113), 402, "no such thing", null],
  [zhipu(1302), 429, "no such thing", null],
  [zhipu("1301"), 400, "no such thing", "policy"],
  [zhipu(1261), 400, "no such thing", "context"],
  [{ error: { code: "1301", message: "not allowed" } }, 400, "not allowed", "policy"],
])("%j stands for %d", (json, status, message, fault) => {
  const body = Buffer.from(JSON.stringify(json));
  expect(reportedStatus(body)).toBe(status);
  const error = readUpstreamError(status, body).read((text) => text);
  expect(error.message).toBe(message);
  expect(requestFault(status, error)).toBe(fault);
});

test.each([{ header: { code: 0, message: "Success" } }, { code: 200, success: true, msg: "fine" }, { header: "x" }])(
  "%j is no error of a provider",
  (json) => {
    expect(reportedStatus(Buffer.from(JSON.stringify(json)))).toBe(502);
  },
);
