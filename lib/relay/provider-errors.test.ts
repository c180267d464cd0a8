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

test("JSON of nobody's is read as before", () => {
  expect(read({ code: 429, message: "It failed." })).toMatchObject({ status: 429, message: "It failed." });
  const error = { message: "Theirs.", code: "theirs" };
  expect(read({ error, code: "InvalidApiKey", message: "Ours.", request_id: "r" })).toMatchObject({ code: "theirs" });
});
