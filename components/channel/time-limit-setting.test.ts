import { expect, test } from "vitest";
import { badTimeLimits, readTimeLimits, withTimeLimit } from "./time-limit-setting";

test("time limits are read from the setting and written into it; what else is in it stays", () => {
  const setting = '{"proxy":"http://p","time_limits":{"idle":0,"first_byte":30}}';
  expect(readTimeLimits(setting)).toMatchObject({ connect: "", first_byte: "30", idle: "0" });
  const changed = withTimeLimit(setting, "first_byte", "2.5");
  expect(JSON.parse(changed)).toEqual({ proxy: "http://p", time_limits: { idle: 0, first_byte: 2.5 } });
  const emptied = withTimeLimit(withTimeLimit(changed, "first_byte", ""), "idle", " ");
  expect(JSON.parse(emptied)).toEqual({ proxy: "http://p" });
  expect(withTimeLimit('{"time_limits":{"idle":1}}', "idle", "")).toBe("");
  expect(JSON.parse(withTimeLimit('{"time_limits":null}', "whole", "9"))).toEqual({ time_limits: { whole: 9 } });
});

test("what is no number of seconds is kept and named, so that saving it is refused; an empty field is no bad one", () => {
  for (const text of ["abc", "-1", "86401", "1e9", "5s", "Infinity", "1e999"]) {
    const setting = withTimeLimit('{"time_limits":{"idle":3}}', "first_token", text);
    expect(badTimeLimits(setting)).toEqual(["first_token"]);
    expect(readTimeLimits(setting)).toMatchObject({ first_token: text === "1e9" ? "1000000000" : text, idle: "3" });
  }
  for (const text of ["0", "0.5", "86400", ""]) expect(badTimeLimits(withTimeLimit("", "whole", text))).toEqual([]);
});

test("a setting, or time limits, that are being typed and are no object yet are left alone", () => {
  for (const setting of ["{", '{"time_limits":5}', '{"time_limits":[1]}']) {
    expect(readTimeLimits(setting)).toBeNull();
    expect(badTimeLimits(setting)).toEqual([]);
  }
});
