// A caller reads an error's message. It is a sentence in English wherever one is thrown, never the key of one.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { egressReason } from "@/lib/egress/reason";
import { AppError } from "@/lib/errors";
import { RelayError } from "@/lib/relay/base/relay-error";
import { imageFetcher } from "@/lib/relay/providers/requests/inline-images";
import en from "@/messages/en.json";

/** What callers get to see, and the position of the message among its arguments. */
const SHOWN: Record<string, number> = { RelayError: 1, InvalidRequest: 0, ChannelSetupError: 0 };

type Site = { at: string; message: ts.Expression };

function sourcesOf(root: string): ts.SourceFile[] {
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((file) => /(?<!\.test)\.ts$/.test(file))
    .map((file) =>
      ts.createSourceFile(join(root, file), readFileSync(join(root, file), "utf8"), ts.ScriptTarget.Latest, true),
    );
}

function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}

const sources = [...sourcesOf("lib/relay"), ...sourcesOf("server")];
const sites: Site[] = [];
const keysRead: string[] = [];
for (const source of sources) {
  walk(source, (node) => {
    const at = `${source.fileName}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
    if (ts.isPropertyAccessExpression(node) && node.name.text === "messageKey") keysRead.push(at);
    if (!ts.isNewExpression(node) || !ts.isIdentifier(node.expression)) return;
    const position = SHOWN[node.expression.text];
    const message = position === undefined ? undefined : node.arguments?.[position];
    if (message) sites.push({ at, message });
  });
}

/** Every text that an expression can have as its value, as far as it is written there. */
function textsOf(node: ts.Expression): string[] {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isTemplateExpression(node))
    return [[node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join("…")];
  if (ts.isConditionalExpression(node)) return [...textsOf(node.whenTrue), ...textsOf(node.whenFalse)];
  if (ts.isBinaryExpression(node)) return [`${textsOf(node.left)[0] ?? "…"}${textsOf(node.right)[0] ?? "…"}`];
  return ts.isParenthesizedExpression(node) ? textsOf(node.expression) : [];
}

test("every error of the relay that is written where it is thrown is a sentence", () => {
  const written = sites.flatMap(({ at, message }) => textsOf(message).map((text) => ({ at, text })));
  expect(written.length).toBeGreaterThan(100);
  const keys = new Set(Object.keys(en.errors));
  // "code: …" and "…: …" stand before a text from elsewhere.
  const isFrame = (text: string): boolean => /^(\w+|…)?:? *…+$/.test(text);
  expect(written.filter(({ text }) => !isFrame(text) && (keys.has(text) || !/[a-z…] [\w…]/i.test(text)))).toEqual([]);
});

test("no key of a message is read in the relay, nor anywhere else that has no languages", () => {
  expect(keysRead).toEqual([]);
});

describe("a picture that cannot be fetched", () => {
  /** All that fetching throws. */
  const thrown = sourcesOf("lib/egress").flatMap((source) => [
    ...source.text.matchAll(/new AppError\("\w+", "(\w+)"/g),
  ]);
  const keys = [...new Set(thrown.map(([, key = ""]) => key))];

  test("is refused with a reason of its own for each cause, in words", () => {
    expect(keys.length).toBeGreaterThan(8);
    const unsaid = keys.filter((key) => !["egressFailed", "egressWorker"].includes(key));
    for (const key of keys) expect(egressReason(new AppError("upstream", key))).toMatch(/^it\w* (\w+[ ,.:/]*)+$/);
    const reasons = unsaid.map((key) => egressReason(new AppError("upstream", key)));
    expect(new Set(reasons).size).toBe(unsaid.length);
    expect(reasons).not.toContain("it could not be fetched");
  });

  test.each([
    ["http://127.0.0.1:9/a.png", "the picture at 127.0.0.1:9 cannot be used: it is on an internal network"],
    [
      "http://user:word@pictures.example/a.png",
      "the picture at pictures.example cannot be used: its address has a user name",
    ],
    [
      "ftp://pictures.example/a.png",
      "the picture at pictures.example cannot be used: its address is not a full address",
    ],
  ])("%s", async (url, message) => {
    const error = await imageFetcher(null)(url, 1_000, () => {}).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RelayError);
    expect((error as RelayError).wire.message).toContain(message);
  });
});
