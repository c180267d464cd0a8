import { describe, expect, test } from "vitest";
import { errorCause } from "./error-cause";

describe("errors of one cause have one text", () => {
  test.each([
    ["the model a-1 has no price", "the model b-2 has no price", "a-1", "b-2"],
    ["status 502: bad gateway", "status 503: bad gateway", "", ""],
    ["Rate limit for org-AbC123 on requests: 3 of 500", "Rate limit for org-xYz9 on requests: 77 of 1,000", "", ""],
    ["no such file 'a b.txt'", 'no such file "c.txt"', "", ""],
    [`lost (request id: ${"0".repeat(36)})`, "lost (request id: 1)", "", ""],
    ["see https://a.example/x?key=1 now", "see http://b.example now", "", ""],
    ["mail root@example.com", "mail bob@mail.example.org", "", ""],
    ["id 0198f1c2-0000-7000-8000-00000000000a gone", "id 0198f1c2-1111-7000-8000-00000000000b gone", "", ""],
  ])("%s", (one, other, model, otherModel) => {
    expect(errorCause(one, model)).toBe(errorCause(other, otherModel));
  });

  test("and errors of different causes do not", () => {
    expect(errorCause("the model m has no price", "m")).not.toBe(errorCause("the model m is not allowed", "m"));
    expect(errorCause("it doesn't fit, don't ask", "")).toBe("it doesn't fit, don't ask");
  });
});

test("a hostile text costs little and gives at most 160 characters", () => {
  const started = performance.now();
  for (const text of [
    "'".repeat(1e6),
    "a@".repeat(5e5),
    "a.".repeat(5e5),
    "x-".repeat(5e5),
    "1,".repeat(5e5),
    "a:/".repeat(3e5),
  ])
    expect(errorCause(text, "a").length).toBeLessThanOrEqual(160);
  expect(performance.now() - started).toBeLessThan(500);
});
