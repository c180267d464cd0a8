import { expect, test } from "vitest";
import { renderCut, renderError } from "./error";

const error = { message: "no", type: "t", param: null, code: "c" };

test("an error carries the request's id in its message", () => {
  expect(JSON.stringify(renderError(error, 400, "r1"))).toBe(
    '{"error":{"message":"no (request id: r1)","type":"t","param":null,"code":"c"}}',
  );
});

test("a stream that is broken off ends in an error frame", () => {
  expect(renderCut(error, "r1")).toEqual([
    { event: null, data: '{"error":{"message":"no (request id: r1)","type":"t","param":null,"code":"c"}}' },
  ]);
});
