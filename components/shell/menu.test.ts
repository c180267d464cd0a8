import { expect, test } from "vitest";
import { consolePath, menuEntries } from "./menu";

const all = { dashboard: true, drawing: true, task: true, chats: [] };
const labels = (menu: Parameters<typeof menuEntries>[0]) => menuEntries(menu).map(({ label }) => label);

test("administrators have every required entry in its order (B001, B130)", () => {
  expect(labels({ ...all, role: 10 }).slice(0, 12)).toEqual([
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
