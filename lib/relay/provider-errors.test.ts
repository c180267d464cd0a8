import { expect, test } from "vitest";
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
