import { readdirSync, readFileSync } from "node:fs";
import { createElement, type ReactElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import ts from "typescript";
import { expect, test } from "vitest";
import { FactList } from "@/components/data-table/fact-list";
import { PlainText } from "@/components/format/plain-text";
import { RichMarkdown } from "@/components/format/rich-markdown";
import { OperatorText } from "@/components/shell/operator-text";
import { Badge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { CodeBlock } from "@/components/ui/code-block";
import { Input } from "@/components/ui/input";
import { Label } from "@/components/ui/label";
import { Textarea } from "@/components/ui/textarea";

/*
 * People name keys, channels and themselves in Arabic, Hebrew or Persian, too. Wherever such a text may show or be typed, it
 * goes in its own direction. Shared components say so once; the sources are searched for elements that use none of them.
 * e2e/typed-text.spec.ts looks at the screens themselves.
 */

const NAME = "مفتاح الاختبار (1)";
const html = (element: ReactElement) => renderToStaticMarkup(element);

const SHOWN: Record<string, ReactElement> = {
  badge: createElement(Badge, null, NAME),
  button: createElement(Button, null, NAME),
  label: createElement(Label, null, NAME),
  "plain text": createElement(PlainText, { text: NAME }),
  "list of facts": createElement(FactList, { facts: [{ label: "Name", value: NAME }] }),
  field: createElement(Input, { defaultValue: NAME }),
  "field of several lines": createElement(Textarea, { defaultValue: NAME }),
  Markdown: createElement(RichMarkdown, { text: NAME }),
  "the operator's Markdown": createElement(OperatorText, { text: NAME }),
  "the operator's HTML": createElement(OperatorText, { text: `<p>${NAME}</p>` }),
};

for (const [name, element] of Object.entries(SHOWN))
  test(`${name}: a text goes in its own direction`, () => {
    expect(html(element)).toMatch(new RegExp(`<[^>]*dir="auto"[^>]*(>|value=")[^<]*${NAME.slice(0, 6)}`));
  });

test("Markdown: each paragraph, heading, list, quotation and cell goes in its own direction, and code from the left", () => {
  const text = [
    "# عنوان",
    "English first.",
    "فقرة",
    "- عنصر\n- item",
    "> اقتباس",
    "1. one\n2. اثنان",
    "| اسم | Name |\n|--|--|\n| قيمة | value |",
    "```\nالرمز\n```",
  ].join("\n\n");
  const shown = html(createElement(RichMarkdown, { text }));
  expect(shown).toMatch(/<h1 dir="auto">عنوان/);
  expect(shown).toMatch(/<p dir="auto">English first/);
  expect(shown).toMatch(/<ul dir="rtl">\s*<li>عنصر/);
  expect(shown).toMatch(/<ol>\s*<li>one/);
  expect(shown).toMatch(/<blockquote dir="rtl">\s*<p dir="auto">/);
  expect(shown).toMatch(/<table dir="rtl">/);
  expect(shown).toMatch(/<td dir="auto">value/);
  expect(shown).toMatch(/<pre [^>]*dir="ltr"/);
  expect(html(createElement(CodeBlock, null, "curl"))).toContain('dir="ltr"');
});

test("HTML: the operator's own direction is kept, and blocks without one get theirs by their text", () => {
  const shown = html(createElement(OperatorText, { text: `<p dir="ltr">a</p><h2>ب</h2><ul><li>ج</li></ul>` }));
  expect(shown).toContain('<p dir="ltr">a</p><h2 dir="auto">ب</h2><ul dir="auto"><li>ج</li></ul>');
});

test("no cell, field, heading, item of a list or text of people leaves its direction to the page", () => {
  const files = ["app", "components"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((file) => /(?<!\.test)\.tsx$/.test(file))
      .map((file) => `${folder}/${file}`),
  );
  const found = files.flatMap((file) => elementsOfPeople(file, readFileSync(file, "utf8")));
  expect(found.length).toBeGreaterThan(100);
  expect(found.filter(({ isDirected }) => !isDirected).map(({ at }) => at)).toEqual([]);
}, 120_000);

test("the search for such elements finds each kind and leaves out what nobody writes into", () => {
  const source = `const a = <><td>x</td><input /><input type="checkbox" /><textarea dir="auto" /><dd {...p} />
    <span data-user-text>x</span><Command.Item>x</Command.Item><h2 dir="auto">x</h2></>;`;
  expect(elementsOfPeople("a.tsx", source).map(({ isDirected }) => isDirected)).toEqual([
    false,
    false,
    true,
    false,
    false,
    false,
    true,
  ]);
});

const TAGS = /^(td|dd|h[1-4]|textarea|input|Command\.(Item|Input))$/;
/** Fields into which nobody writes. `Command.Input asChild` takes the field inside. */
const NOT_WRITTEN = /type="(checkbox|radio|range|file|date|hidden|color)"|\basChild\b/;
/** The cell of the shared table has its direction in an element inside, and the page without messages has no people's text. */
const EXCEPT = new Set(["components/data-table/data-table.tsx", "app/global-error.tsx"]);

function elementsOfPeople(file: string, source: string): { at: string; isDirected: boolean }[] {
  if (EXCEPT.has(file)) return [];
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const found: { at: string; isDirected: boolean }[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isJsxOpeningElement(node) || ts.isJsxSelfClosingElement(node)) {
      const attributes = node.attributes.getText();
      const isTheirs = TAGS.test(node.tagName.getText()) && !NOT_WRITTEN.test(attributes);
      if (isTheirs || /\bdata-user-text\b/.test(attributes))
        found.push({
          at: `${file}:${tree.getLineAndCharacterOfPosition(node.getStart()).line + 1} <${node.tagName.getText()}>`,
          isDirected: node.attributes.properties.some((part) => /^dir=/.test(part.getText())),
        });
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}
