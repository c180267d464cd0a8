import { readFileSync } from "node:fs";
import semver from "semver";
import { describe, expect, test } from "vitest";
import {
  type Advisory,
  addressOf,
  entriesOf,
  findKnown,
  productionPackages,
  readList,
  withEntries,
} from "./advisories";

type Lock = { packages: Record<string, { version?: string; dev?: boolean }> };
const lock = JSON.parse(readFileSync("package-lock.json", "utf8")) as Lock;
const list = readList();

test("no package of production has a known advisory", () => {
  expect(findKnown(lock, list)).toEqual([]);
  expect(productionPackages(lock).length).toBeGreaterThan(300);
});

test("an older version of each package in the list is found, also one that is nested", () => {
  for (const [id, name, range] of list.advisories) {
    const version = vulnerable(range);
    for (const path of [`node_modules/${name}`, `node_modules/other/node_modules/${name}`]) {
      const changed = { packages: { ...lock.packages, [path]: { version } } };
      expect(findKnown(changed, list)).toContainEqual(expect.stringContaining(`${path} ${version}: ${id}`));
      expect(findKnown({ packages: { [path]: { version, dev: true } } }, list)).toEqual([]);
    }
  }
});

/** A version in the range. */
function vulnerable(range: string): string {
  const { version } = semver.minVersion(range) ?? { version: "" };
  return version;
}

test("each entry has an id, a package, versions that can be compared and a title", () => {
  for (const [id, name, range, title] of list.advisories) {
    expect(id).toMatch(/^(GHSA(-[\da-z]{4}){3}|CVE-\d{4}-\d{4,})$/);
    expect(addressOf(id)).toMatch(/^https:\/\/(github\.com\/advisories|www\.cve\.org)\//);
    expect([name, semver.validRange(range), title]).not.toContain(null);
  }
  const keys = list.advisories.map(([id, name]) => `${id} ${name}`);
  expect(new Set(keys).size).toBe(keys.length);
});

describe("what the registry reports", () => {
  const via = { name: "a", url: "https://github.com/advisories/GHSA-aaaa-bbbb-cccc", range: "<2.0.0", title: "bad" };

  test("is added to the list once, and replaces what was there", () => {
    const entries = entriesOf({ vulnerabilities: { a: { via: [via] }, b: { via: ["a"] } } });
    expect(entries).toEqual([["GHSA-aaaa-bbbb-cccc", "a", "<2.0.0", "bad"]]);
    const before = { advisories: [["GHSA-aaaa-bbbb-cccc", "a", "<1.0.0", "bad"] satisfies Advisory] };
    expect(withEntries(before, entries, "2027-01-01")).toEqual({ checked: "2027-01-01", advisories: entries });
  });

  test("is no empty list where it does not answer such questions", () => {
    expect(() => entriesOf({ error: { code: "ENOAUDIT", summary: "405 Method Not Allowed" } })).toThrow("405");
    expect(() => entriesOf({ message: "no JSON" })).toThrow("no JSON");
  });
});
