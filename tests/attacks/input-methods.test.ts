import { readdirSync, readFileSync } from "node:fs";
import ts from "typescript";
import { expect, test } from "vitest";
import { isComposing, keptWhileComposing } from "@/components/ui/composing";

/*
 * With an input method, Enter takes the word that is being composed and Escape drops it. Chrome and Firefox mark such a key
 * press by `isComposing`; Safari sends `compositionend` first, and then a key press with nothing but keyCode 229.
 */

const files = ["app", "components"].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => /(?<!\.test)\.tsx?$/.test(file))
    .map((file) => `${folder}/${file}`),
);
const HELPER = "components/ui/composing.ts";
const sources = files
  .filter((file) => file !== HELPER)
  .map((file) => [file, readFileSync(file, "utf8")] as const)
  .filter(([, text]) => /\.(key|code|keyCode|isComposing)\b|\.Content\b/.test(text));

const key = (fields: { isComposing?: boolean; keyCode?: number }) => Object.assign(new Event("keydown"), fields);

test("a key press is an input method's in each browser's order of events, and others are not", () => {
  const chrome = key({ isComposing: true, keyCode: 229 });
  const safari = key({ isComposing: false, keyCode: 229 });
  const enter = key({ isComposing: false, keyCode: 13 });
  for (const event of [chrome, safari, key({ isComposing: true, keyCode: 13 })]) expect(isComposing(event)).toBe(true);
  expect(isComposing(enter)).toBe(false);
  expect(isComposing({ nativeEvent: safari } as unknown as React.KeyboardEvent)).toBe(true);
  expect(isComposing({ nativeEvent: enter } as unknown as React.KeyboardEvent)).toBe(false);
  expect(isComposing({ nativeEvent: Object.assign(new Event("input"), { isComposing: true }) } as never)).toBe(true);
});

test("the Escape that drops a half-composed word closes no window", () => {
  const asked: Event[] = [];
  const onEscape = keptWhileComposing((event) => asked.push(event));
  const dropped = Object.assign(new Event("keydown", { cancelable: true }), { isComposing: false, keyCode: 229 });
  onEscape(dropped as never);
  expect(dropped.defaultPrevented).toBe(true);
  onEscape(key({ keyCode: 27 }) as never);
  expect(asked).toHaveLength(1);
});

test("every handler that reads which key was pressed asks first whether an input method took it", () => {
  const readers = sources.flatMap(([file, text]) => keyReaders(file, text));
  expect(readers.length).toBeGreaterThanOrEqual(16);
  expect(readers.filter(({ asks }) => !asks).map(({ at }) => at)).toEqual([]);
}, 120_000);

test("the search for such handlers finds inline ones, named ones, listeners and those of other types", () => {
  const source = `
    const a = <input onKeyDown={(event) => (event.key === "Enter" ? send() : undefined)} />;
    const onKey = (press: KeyboardEvent) => { if (press.key === "s") save(); };
    document.addEventListener("keydown", (press) => press.code === "KeyS" && save());
    function read({ key }: KeyboardEvent) { return key === "Enter"; }
    const fine = (event: KeyboardEvent) => { if (isComposing(event)) return; if (event.key === "Enter") send(); };
    const other = (entry: { key: string }) => entry.key;`;
  expect(keyReaders("a.tsx", source).map(({ asks }) => asks)).toEqual([false, false, false, false, true]);
});

test("every window that Escape closes stays while a word is composed", () => {
  const contents = sources.flatMap(([file, text]) => windows(file, text));
  expect(contents.length).toBeGreaterThanOrEqual(7);
  expect(contents.filter(({ keeps }) => !keeps).map(({ at }) => at)).toEqual([]);
}, 120_000);

test("nobody but the one helper looks at isComposing or keyCode", () => {
  const others = sources.filter(([, text]) => /\.isComposing\b|\bkeyCode\b/.test(text)).map(([file]) => file);
  expect(others).toEqual([]);
});

type Reader = { at: string; asks: boolean };

/** Pressing one of these is never a word: modifiers, and the keys of a button that opens a menu. */
const WITHOUT_WORDS = new Set(["components/token/token-chat.tsx"]);

function keyReaders(file: string, source: string): Reader[] {
  if (WITHOUT_WORDS.has(file)) return [];
  const tree = parse(file, source);
  const found: Reader[] = [];
  const visit = (node: ts.Node): void => {
    if (isFunction(node) && readsKey(node)) {
      const line = tree.getLineAndCharacterOfPosition(node.getStart()).line + 1;
      found.push({ at: `${file}:${line}`, asks: /\bisComposing\(/.test(node.getText()) });
      return;
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

type Handler = ts.ArrowFunction | ts.FunctionExpression | ts.FunctionDeclaration;

function isFunction(node: ts.Node): node is Handler {
  return ts.isArrowFunction(node) || ts.isFunctionExpression(node) || ts.isFunctionDeclaration(node);
}

function readsKey(handler: Handler): boolean {
  const [event] = handler.parameters;
  if (!event || !(isKeyboardEvent(event) || isKeyHandler(handler))) return false;
  if (ts.isObjectBindingPattern(event.name)) return /\b(key|code)\b/.test(event.name.getText());
  return new RegExp(`\\b${event.name.getText()}(\\.nativeEvent)?\\.(key|code)\\b|\\} = ${event.name.getText()};`).test(
    handler.getText(),
  );
}

/** Also what is called an event and has no type here, or one of its own with a key. */
function isKeyboardEvent({ name, type }: ts.ParameterDeclaration): boolean {
  const declared = type?.getText() ?? "key";
  return /Keyboard/.test(declared) || (name.getText() === "event" && /\bkey\b/.test(declared));
}

/** A function that stands in `onKeyDown={…}` or in `addEventListener("keydown", …)`. */
function isKeyHandler({ parent }: Handler): boolean {
  if (ts.isJsxExpression(parent) && ts.isJsxAttribute(parent.parent))
    return /^onKey/.test(parent.parent.name.getText());
  if (ts.isPropertyAssignment(parent)) return /^onKey/.test(parent.name.getText());
  return ts.isCallExpression(parent) && /^["']key/.test(parent.arguments[0]?.getText() ?? "");
}

/** The contents of dialogs, popovers and menus of the library; tooltips have no fields. */
function windows(file: string, source: string): { at: string; keeps: boolean }[] {
  const tree = parse(file, source);
  const found: { at: string; keeps: boolean }[] = [];
  const visit = (node: ts.Node): void => {
    if ((ts.isJsxOpeningElement(node) || ts.isJsxSelfClosingElement(node)) && isWindow(node.tagName.getText()))
      found.push({
        at: `${file}:${tree.getLineAndCharacterOfPosition(node.getStart()).line + 1}`,
        keeps: /onEscapeKeyDown=\{keptWhileComposing\(/.test(node.attributes.getText()),
      });
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

const isWindow = (tag: string) => /^(Radix)?\w*(Dialog|Sheet|Popover|Menu)(Primitive)?\.(Sub)?Content$/.test(tag);

function parse(file: string, source: string): ts.SourceFile {
  return ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
}
