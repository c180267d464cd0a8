import { expect, test } from "vitest";
import { consolePath, isInConsole, menuEntries, menuGroups, readClosedGroups } from "./menu";

const all = { dashboard: true, drawing: true, task: true, capture: true, chats: ["Client"], closedGroups: [] };
const labels = (menu: Parameters<typeof menuEntries>[0]) => menuEntries(menu).map(({ label }) => label);

test("administrators have every required entry in its order (B001, B130)", () => {
  const added = new Set(["alert", "capture"]);
  const required = labels({ ...all, role: 10 }).filter((label) => !added.has(label));
  expect(required.slice(0, 12)).toEqual([
    "playground",
    "channel",
    "chat",
    "token",
    "detail",
    "redemption",
    "topup",
    "user",
    "log",
    "midjourney",
    "task",
    "setting",
  ]);
});

test("ordinary users have no entry of administrators (B002, B130, B206)", () => {
  const own = labels({ ...all, role: 1 });
  for (const label of ["channel", "redemption", "user", "audit"]) expect(own).not.toContain(label);
  for (const label of ["token", "topup", "log", "midjourney", "task", "playground"]) expect(own).toContain(label);
});

test("dashboard, drawing and tasks are there only while their option is on (B133, B212)", () => {
  const off = labels({ ...all, role: 100, dashboard: false, drawing: false, task: false });
  for (const label of ["detail", "midjourney", "task"]) expect(off).not.toContain(label);
  expect(consolePath({ dashboard: true })).toBe("/detail");
  expect(consolePath({ dashboard: false })).toBe("/token");
});

test("every entry stands under one heading, and the headings keep the required order (B130)", () => {
  const groups = menuGroups({ ...all, role: 100 });
  expect(groups.map(({ group }) => group)).toEqual(["work", "accounts", "activity", "system"]);
  expect(groups.flatMap(({ entries }) => entries)).toEqual(menuEntries({ ...all, role: 100 }));
});

test("chat is in the menu only with a client to link to (B131)", () => {
  expect(labels({ ...all, role: 100, chats: [] })).not.toContain("chat");
  expect(labels({ ...all, role: 1 })).toContain("chat");
});

test("every page of the console is known as one, those below an entry too", () => {
  for (const path of ["/detail", "/token", "/user/1", "/setting/prices", "/docs/api"])
    expect(isInConsole(path)).toBe(true);
  for (const path of ["/", "/pricing", "/about", "/tokens"]) expect(isInConsole(path)).toBe(false);
});

test("unknown names in the cookie of closed groups are ignored", () => {
  expect(readClosedGroups("system.nonsense.work")).toEqual(["work", "system"]);
  expect(readClosedGroups(undefined)).toEqual([]);
});
