import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
// @ts-expect-error: scripts run before anything is installed, so they are plain JavaScript
import { PARTS } from "./image-tree.mjs";

const read = (file: string): string => readFileSync(join(process.cwd(), file), "utf8");
const about = JSON.parse(read("package.json"));
const FILES = ["LICENSE", "CHANGELOG.md"];

/** Whether a file of the first folder is sent to the build of an image: the last pattern that fits decides. */
function isSent(file: string): boolean {
  const patterns = read(".dockerignore").split("\n").filter(Boolean);
  const fits = (pattern: string) =>
    new RegExp(`^${pattern.replace("**/", "").replaceAll(".", "\\.").replaceAll("*", "[^/]*")}$`).test(file);
  return !patterns.reduce((isLeft, line) => (fits(line.replace(/^!/, "")) ? !line.startsWith("!") : isLeft), false);
}

describe.each(FILES)("%s", (file) => {
  test("is in the sources, in a package of npm and in the image", () => {
    expect(existsSync(file)).toBe(true);
    expect(about.files ?? FILES).toContain(file);
    expect(isSent(file)).toBe(true);
    expect(PARTS).toContain(file);
  });
});

test("the search for what is sent knows what is left out", () => {
  expect(["README.md", ".git", "docs"].map(isSent)).toEqual([false, false, false]);
  expect(["package.json", "bin"].map(isSent)).toEqual([true, true]);
});

test("the license is MIT's, of the Weir authors, and every place that names it agrees", () => {
  const text = read("LICENSE");
  expect(text).toMatch(
    /^MIT License\n\nCopyright \(c\) 2026 The Weir authors\n\nPermission is hereby granted, free of charge/,
  );
  expect(text).toContain("The above copyright notice and this permission notice shall be included in all");
  expect(text).toContain('THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND');
  expect(about.license).toBe("MIT");
  expect(JSON.parse(read("package-lock.json")).packages[""].license).toBe("MIT");
  expect(read("ops/container/Containerfile")).toContain('org.opencontainers.image.licenses="MIT"');
  expect(read("README.md")).toContain("The license is MIT: [LICENSE](LICENSE)");
});

describe("the changelog", () => {
  const text = read("CHANGELOG.md");
  const versions = [...text.matchAll(/^## \[([^\]]+)\](?: - (\d{4}-\d{2}-\d{2}))?$/gm)];

  test("is in the form of Keep a Changelog: known headings, dated versions, the newest first", () => {
    expect(text).toMatch(/^# Changelog\n/);
    const parts = [...text.matchAll(/^### (.+)$/gm)].map(([, name]) => name);
    const known = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security", "Migrations"];
    expect(parts.filter((name = "") => !known.includes(name))).toEqual([]);
    expect([...text.matchAll(/^## .*$/gm)]).toHaveLength(versions.length);
    expect(versions[0]?.[1]).toBe("Unreleased");
    for (const [, , date] of versions.slice(1)) expect(date).toBeDefined();
  });

  test("has the version of package.json: as a released one, or as what will be", () => {
    const released = versions.slice(1).map(([, name]) => name);
    const [, coming] = /^What will be (\S+), /m.exec(text) ?? [];
    expect(released.includes(about.version) || coming === about.version).toBe(true);
  });
});
