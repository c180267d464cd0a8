import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import ts from "typescript";
import { expect, test } from "vitest";
import { definitionOf, isOptionKey, type OptionKey, optionKeys } from "./registry";

/** Listing, publishing or editing an option is not using it. */
const notReading = ["lib/option/", "lib/status/", "lib/http/openapi/", "lib/testing/", "components/setting/"];

/** Only a banner shows whether these are on. */
const onlyShown: Partial<Record<OptionKey, string>> = { MjNotifyEnabled: "app/site.ts" };

function productFiles(): string[] {
  const listed = execFileSync("git", [
    "ls-files",
    "--cached",
    "--others",
    "--exclude-standard",
    "app",
    "components",
    "lib",
    "server",
  ]);
  return listed
    .toString()
    .split("\n")
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file))
    .filter((file) => !notReading.some((folder) => file.startsWith(folder)));
}

/** The option key used by a node: `options.Key`, `options["a.key"]`, `{ Key } = options`, or the key as a string. */
function optionIn(node: ts.Node): string | null {
  if (ts.isPropertyAccessExpression(node)) return node.name.text;
  if (ts.isStringLiteral(node)) return ts.isLiteralTypeNode(node.parent) ? null : node.text;
  if (!ts.isBindingElement(node)) return null;
  const name = node.propertyName ?? node.name;
  return ts.isIdentifier(name) ? name.text : null;
}

function findReaders(): Map<OptionKey, Set<string>> {
  const readers = new Map<OptionKey, Set<string>>(optionKeys().map((key) => [key, new Set()]));
  for (const file of productFiles()) {
    const text = readFileSync(file, "utf8");
    if (!optionKeys().some((key) => text.includes(key))) continue;
    const visit = (node: ts.Node): void => {
      const key = optionIn(node);
      if (key !== null && isOptionKey(key) && onlyShown[key] !== file) readers.get(key)?.add(file);
      ts.forEachChild(node, visit);
    };
    visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  }
  return readers;
}

test("every option has an effect, or is marked as one that has none yet or never will", () => {
  const readers = findReaders();
  const isMarked = (key: OptionKey) => definitionOf(key).pending !== undefined || definitionOf(key).isUnused === true;
  const isRead = (key: OptionKey) => (readers.get(key)?.size ?? 0) > 0;
  expect(optionKeys().filter((key) => !isRead(key) && !isMarked(key))).toEqual([]);
  const marked = optionKeys().filter((key) => isRead(key) && isMarked(key));
  expect(marked.map((key) => `${key} is read by ${[...(readers.get(key) ?? [])]}: remove its mark`)).toEqual([]);
});

test("an option that will never have an effect stands on no card", () => {
  expect(optionKeys().filter((key) => definitionOf(key).isUnused && definitionOf(key).card)).toEqual([]);
});
