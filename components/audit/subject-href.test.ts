import { expect, test } from "vitest";
import { subjectHref } from "./subject-href";

test("what an entry of the audit log is about leads to its page, and nowhere else", () => {
  const tabs = { RetryTimes: "operation" };
  expect(subjectHref("channel:7", tabs)).toBe("/channel/7");
  expect(subjectHref("user:12", tabs)).toBe("/user/12");
  expect(subjectHref("tag:a,b", tabs)).toBe("/channel?tags=true&tag=%5B%22a%2Cb%22%5D");
  expect(subjectHref("option:RetryTimes", tabs)).toBe("/setting?tab=operation#RetryTimes");
  for (const none of ["option:gone", "token:3", "log", "channel:x", "channel", "user:", "user://evil"]) {
    expect(subjectHref(none, tabs)).toBeNull();
  }
});
