import { readdirSync, readFileSync } from "node:fs";
import ts from "typescript";
import { expect, test } from "vitest";

/** Props whose values users see or hear. */
const SPOKEN = new Set(["aria-label", "aria-description", "title", "placeholder", "alt", "label", "hint", "text"]);
/** Shown when not even the messages could be loaded, so it contains both languages. */
const WITHOUT_MESSAGES = "app/global-error.tsx";
const WORD = /\p{L}{2,}/u;

test("no screen has a text that is written into its source instead of the messages of both languages (A004)", () => {
  const files = ["app", "components"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((file) => /(?<!\.test)\.tsx$/.test(file))
      .map((file) => `${folder}/${file}`)
      .filter((file) => file !== WITHOUT_MESSAGES),
  );
  expect(files.length).toBeGreaterThan(200);
  expect(files.flatMap(findTexts)).toEqual([]);
}, 120_000);

test("the search for such texts finds them between tags, in braces, in choices and in attributes", () => {
  const source = `const a = <p title="One">Two {"Three"} {ok ? "Four" : \`Five\`} {ok && "Six"} {t("seven")}</p>;`;
  expect(textsIn("a.tsx", source)).toHaveLength(6);
});

function findTexts(file: string): string[] {
  return textsIn(file, readFileSync(file, "utf8"));
}

function textsIn(file: string, source: string): string[] {
  const found: string[] = [];
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const note = (node: ts.Node, text: string) => {
    const line = tree.getLineAndCharacterOfPosition(node.getStart()).line + 1;
    if (WORD.test(text.replaceAll(/&\w+;/g, "")) && !isSameInAllLanguages(text.trim()))
      found.push(`${file}:${line}: ${text.trim()}`);
  };
  /** Reports a displayed string literal, including the branches of a conditional. */
  const noteShown = (node: ts.Expression): void => {
    if (ts.isStringLiteralLike(node)) note(node, node.text);
    else if (ts.isTemplateExpression(node))
      note(node, [node.head, ...node.templateSpans.map((span) => span.literal)].map((part) => part.text).join(" "));
    else if (ts.isParenthesizedExpression(node)) noteShown(node.expression);
    else if (ts.isConditionalExpression(node)) [node.whenTrue, node.whenFalse].forEach(noteShown);
    else if (ts.isBinaryExpression(node)) noteShown(node.right);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isJsxText(node)) note(node, node.text);
    if (ts.isJsxExpression(node) && node.expression && !ts.isJsxAttribute(node.parent)) noteShown(node.expression);
    if (ts.isJsxAttribute(node) && SPOKEN.has(node.name.getText()) && node.initializer) {
      if (ts.isStringLiteral(node.initializer)) note(node, node.initializer.text);
      else if (ts.isJsxExpression(node.initializer) && node.initializer.expression)
        noteShown(node.initializer.expression);
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

function isSameInAllLanguages(text: string): boolean {
  return SAME.has(text);
}

/** Names, codes and examples that are the same in every language. */
const SAME = new Set(["Weir", "Telegram", "ID", "HTTP", "UTC", "sk-", "(sk- )", "org-xxx", "yyyy-MM-dd HH:mm:ss"]);
