import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import ts from "typescript";
import { expect, test } from "vitest";
import { definitionOf, isOptionKey, type OptionKey, optionKeys } from "./registry";

/** Listing, publishing or editing an option is not using it. */
const notReading = ["lib/option/", "lib/status/", "lib/http/openapi/", "lib/testing/", "components/setting/"];

/** Only a banner shows whether these are on. */
const onlyShown: Partial<Record<OptionKey, string>> = { MjNotifyEnabled: "app/site.ts" };

/** Options that wait for a feature, with the feature. The console says so beside them. */
const waiting: Partial<Record<OptionKey, string>> = {};

/** Options of contract §3.2 that nothing has read for long; clients of the wire contract send and expect them. */
const legacy: readonly OptionKey[] = [
  "StreamCacheQueueLength",
  "FileUploadPermission",
  "FileDownloadPermission",
  "ImageUploadPermission",
  "ImageDownloadPermission",
];

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
    "tools/import",
  ]);
  return listed
    .toString()
    .split("\n")
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file))
    .filter((file) => !notReading.some((folder) => file.startsWith(folder)));
}

/** The option key used by a node: `options.Key`, `options["a.key"]`, `{ Key } = options`, or the key as a string. */
function optionIn(node: ts.Node): string | null {
  if (ts.isPropertyAccessExpression(node)) return isOfOptions(node.expression) ? node.name.text : null;
  if (ts.isStringLiteral(node)) return ts.isLiteralTypeNode(node.parent) ? null : node.text;
  if (!ts.isBindingElement(node)) return null;
  const name = node.propertyName ?? node.name;
  return ts.isIdentifier(name) ? name.text : null;
}

/** `options.Price` reads an option, `row.Price` does not. */
function isOfOptions(object: ts.Expression): boolean {
  const name = ts.isPropertyAccessExpression(object) ? object.name.text : object.getText();
  return /options/i.test(name);
}

function findReaders(): Map<OptionKey, Set<string>> {
  const readers = new Map<OptionKey, Set<string>>(optionKeys().map((key) => [key, new Set()]));
  // Most names are no words of anything else; these few files are worth parsing.
  const names = optionKeys().map((key) => key.replaceAll(".", "\\."));
  const mention = new RegExp(`\\b(?:${names.join("|")})\\b`);
  for (const file of productFiles()) {
    const text = readFileSync(file, "utf8");
    if (!mention.test(text)) continue;
    const visit = (node: ts.Node): void => {
      const key = optionIn(node);
      if (key !== null && isOptionKey(key) && onlyShown[key] !== file) readers.get(key)?.add(file);
      ts.forEachChild(node, visit);
    };
    visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  }
  return readers;
}

test("every option is read, but for those that wait for a feature and those of the wire contract alone", () => {
  const readers = findReaders();
  const isRead = (key: OptionKey) => (readers.get(key)?.size ?? 0) > 0;
  const known = new Set<string>([...Object.keys(waiting), ...legacy]);
  expect(optionKeys().filter((key) => !isRead(key) && !known.has(key))).toEqual([]);
  const late = optionKeys().filter((key) => isRead(key) && known.has(key));
  expect(late.map((key) => `${key} is read by ${[...(readers.get(key) ?? [])]}: take it from the list`)).toEqual([]);
});

test("an option that the relay reads is not said to leave API requests alone", () => {
  const isRelay = (file: string) => /^lib\/(relay|snapshot)\//.test(file);
  const wrong = [...findReaders()].filter(
    ([key, files]) => definitionOf(key).running === "none" && [...files].some(isRelay),
  );
  expect(wrong.map(([key, files]) => `${key}: ${[...files].filter(isRelay).join(" ")}`)).toEqual([]);
});

test("the console tells of no other option that it has no effect", () => {
  const marked = (mark: "pending" | "isUnused") => optionKeys().filter((key) => definitionOf(key)[mark] !== undefined);
  expect(marked("pending").sort()).toEqual(Object.keys(waiting).sort());
  expect(marked("isUnused").sort()).toEqual(legacy.toSorted());
});

test("the contract says of the same options that they have no effect", () => {
  const contract = readFileSync("docs/contract.md", "utf8");
  const [, said = ""] = /^- \*\*Without effect\*\*([\s\S]*?)\n(?=- |\n)/m.exec(contract) ?? [];
  expect([...said.matchAll(/`([^`]+)`/g)].map(([, key]) => key).sort()).toEqual(legacy.toSorted());
});

test("an option that will never have an effect stands on no card", () => {
  expect(optionKeys().filter((key) => definitionOf(key).isUnused && definitionOf(key).card)).toEqual([]);
});
