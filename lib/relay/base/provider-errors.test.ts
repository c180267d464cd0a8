import { expect, test } from "vitest";
import { requestFault } from "./request-faults";
import { readUpstreamError, reportedStatus } from "./upstream-error";

const read = (json: object) => {
  const body = Buffer.from(JSON.stringify(json));
  const { message, code } = readUpstreamError(200, body).read((text) => text);
  return { status: reportedStatus(body), message, code };
};

test.each([
  ["InvalidApiKey", 401],
  ["Throttling.RateQuota", 429],
  ["Throttling", 429],
  ["AccessDenied.Unpurchased", 403],
  ["DataInspectionFailed", 400],
  ["Arrearage", 400],
  ["InternalError.Algo", 500],
  ["SomethingNew", 502],
])("Alibaba's code %s stands for %i", (code, status) => {
  expect(read({ code, message: "It failed.", request_id: "r" })).toEqual({ status, message: "It failed.", code });
});

test.each([
  [110, 401, 110],
  [111, 401, 111],
  [6, 403, 6],
  [17, 429, 17],
  [336501, 429, 336501],
  [336100, 503, 336100],
  [336003, 400, 336003],
  [336103, 400, "context_length_exceeded"],
  [999, 502, 999],
])("Baidu's code %i stands for %i", (number, status, code) => {
  expect(read({ error_code: number, error_msg: "It failed." })).toEqual({ status, message: "It failed.", code });
});

test.each([
  ["AuthFailure.SignatureFailure", 401, "AuthFailure.SignatureFailure"],
  ["RequestLimitExceeded", 429, "RequestLimitExceeded"],
  ["LimitExceeded", 429, "LimitExceeded"],
  ["FailedOperation.EngineServerLimitExceeded", 429, "FailedOperation.EngineServerLimitExceeded"],
  ["FailedOperation.EngineServerError", 500, "FailedOperation.EngineServerError"],
  ["FailedOperation.ServiceStopArrears", 402, "FailedOperation.ServiceStopArrears"],
  ["InvalidParameterValue.Model", 400, "InvalidParameterValue.Model"],
  ["OperationDenied.TextIllegalDetected", 400, "content_filter"],
])("Tencent's code %s stands for %i", (given, status, code) => {
  const refused = { Code: given, Message: "It failed." };
  expect(read({ Response: { Error: refused, RequestId: "r" } })).toEqual({ status, message: "It failed.", code });
});

test("Tencent's errors in mid-stream are read, too", () => {
  expect(read({ Id: "h", ErrorMsg: { Msg: "Too slow.", Code: 4001 } })).toEqual({
    ...{ status: 504, message: "Too slow.", code: 4001 },
  });
  expect(read({ ErrorMsg: { Msg: "It failed.", Code: 4000 } })).toMatchObject({ status: 500 });
});

test("JSON of nobody's is read as before", () => {
  expect(read({ code: 429, message: "It failed." })).toMatchObject({ status: 429, message: "It failed." });
  const error = { message: "Theirs.", code: "theirs" };
  expect(read({ error, code: "InvalidApiKey", message: "Ours.", request_id: "r" })).toMatchObject({ code: "theirs" });
});

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

test.each([
  ["unauthorized", 401],
  ["provider_quota_exceeded", 400],
  ["rate_limit_error", 429],
  ["internal_server_error", 500],
])("Dify's error %s says its status, %i", (code, status) => {
  expect(read({ code, message: "It failed.", status })).toEqual({ status, message: "It failed.", code });
  expect(read({ event: "error", task_id: "t", code, message: "It failed.", status })).toMatchObject({ status, code });
});

test("Dify's workflow that fails has no status of its own", () => {
  const json = { event: "workflow_finished", data: { status: "failed", error: "no model" } };
  expect(read(json)).toEqual({ status: 502, message: "no model", code: null });
});

test.each([
  [4100, 401],
  [700012006, 401],
  [4101, 403],
  [4013, 429],
  [4028, 402],
  [4000, 400],
  [5000, 500],
])("Coze's code %i stands for %i", (code, status) => {
  expect(read({ code, msg: "It failed.", detail: { logid: "1" } })).toEqual({ status, message: "It failed.", code });
  const failed = { id: "1", status: "failed", last_error: { code, msg: "It failed." } };
  expect(read(failed)).toEqual({ status, message: "It failed.", code });
});

test.each([
  [401, 401],
  [9, 502],
])("a library's code %i stands for %i", (errCode, status) => {
  expect(read({ success: false, errCode, message: "It failed." })).toEqual({
    status,
    message: "It failed.",
    code: errCode,
  });
});

test("an error object of OpenAI's shape is read first", () => {
  expect(read({ code: 429, message: "It failed." })).toMatchObject({ status: 429, message: "It failed." });
  const error = { message: "Theirs.", code: "theirs" };
  expect(read({ error, code: 4100, msg: "Ours." })).toMatchObject({ code: "theirs" });
  expect(read({ error, code: "x", message: "Ours.", status: 401 })).toMatchObject({ code: "theirs" });
});

test("a code that Coze has not published counts where its chat failed, and is nobody's elsewhere", () => {
  const failed = { id: "1", status: "failed", last_error: { code: 123, msg: "It failed." } };
  expect(read(failed)).toEqual({ status: 502, message: "It failed.", code: 123 });
  expect(read({ code: 123, msg: "It failed." })).toMatchObject({ status: 502, message: "It failed." });
  expect(read({ code: 429, msg: "It failed." })).toMatchObject({ status: 429, message: "It failed." });
});
