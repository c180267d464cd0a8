import { expect, test } from "vitest";
import { subjectHref } from "./subject-href";

test("what an entry of the audit log is about leads to its page, and nowhere else", () => {
  const settings = { RetryTimes: "/setting?tab=operation&page=general#RetryTimes" };
  expect(subjectHref("channel:7", settings)).toBe("/channel/7");
  expect(subjectHref("user:12", settings)).toBe("/user/12");
  expect(subjectHref("tag:a,b", settings)).toBe("/channel?tags=true&tag=%5B%22a%2Cb%22%5D");
  expect(subjectHref("option:RetryTimes", settings)).toBe(settings.RetryTimes);
  for (const none of [
    "option:gone",
    "option:constructor",
    "token:3",
    "log",
    "channel:x",
    "channel",
    "user:",
    "user://evil",
  ]) {
    expect(subjectHref(none, settings)).toBeNull();
  }
});
