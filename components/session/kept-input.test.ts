import { beforeEach, expect, test, vi } from "vitest";
import { restoreInput } from "./kept-input";

const KEY = "weir-kept-input";
const stored = new Map<string, string>();

beforeEach(() => {
  stored.clear();
  vi.stubGlobal("window", {
    location: new URL("http://weir.example/token"),
    sessionStorage: {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, text: string) => void stored.set(key, text),
      removeItem: (key: string) => void stored.delete(key),
    },
  });
});

const keep = (kept: object) =>
  stored.set(
    KEY,
    JSON.stringify({ userId: 7, path: "/user?edit=5", at: Date.now(), fields: [], isBack: true, returns: 0, ...kept }),
  );

test("a page that leads elsewhere, because its user may no longer open it, is not returned to for ever (A234)", () => {
  keep({});
  const led = Array.from({ length: 10 }, () => restoreInput(7, () => {}));
  expect(led.filter((path) => path !== null)).toEqual(["/user?edit=5", "/user?edit=5", "/user?edit=5"]);
  expect(stored.size).toBe(0);
});

test("input of another user, of long ago, or of a page that was left on purpose is forgotten and leads nowhere", () => {
  for (const kept of [{ userId: 8 }, { at: Date.now() - 3_600_001 }, { isBack: false }]) {
    keep(kept);
    expect(restoreInput(7, () => {})).toBeNull();
    expect(stored.size).toBe(0);
  }
});
