import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import en from "../../messages/en.json";
import zh from "../../messages/zh.json";
import reference from "../http/openapi/texts.en.json";

type Tree = { [key: string]: string | Tree };
type Text = { at: string; text: string };

const ROOT = new URL("../..", import.meta.url);

function textsOf(tree: Tree, prefix: string): Text[] {
  return Object.entries(tree).flatMap(([key, value]) =>
    typeof value === "string" ? [{ at: `${prefix}.${key}`, text: value }] : textsOf(value, `${prefix}.${key}`),
  );
}

/** The cells of the table under a heading of docs/words.md, without its head. */
function tableUnder(heading: string): string[][] {
  const [, section = ""] = readFileSync(new URL("docs/words.md", ROOT), "utf8").split(`## ${heading}\n`);
  const [body = ""] = section.split("\n## ");
  const rows = body.split("\n").filter((line) => line.startsWith("| "));
  return rows.slice(2).map((row) =>
    row
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const listOf = (cell = "") => cell.split(";").flatMap((phrase) => phrase.trim() || []);
const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Whole words in English; anywhere in Chinese, except where a longer word is the right one (非流式). */
function patternOf(phrase: string): RegExp {
  if (/\p{Script=Han}/u.test(phrase)) return new RegExp(`${escaped(phrase)}(?!式)`, "u");
  return new RegExp(`(?<![\\w-])${escaped(phrase).replaceAll(" ", "\\s+")}(?![\\w-])(?! endpoint)`, "i");
}

const forbidden = [
  ...tableUnder("Terms").flatMap(([, , , not]) => listOf(not)),
  ...tableUnder("Phrases").flatMap(([not]) => listOf(not)),
].map((phrase) => ({ phrase, pattern: patternOf(phrase) }));

const foundIn = (texts: readonly Text[]) =>
  texts.flatMap(({ at, text }) =>
    forbidden.filter(({ pattern }) => pattern.test(text)).map(({ phrase }) => `${at}: "${phrase}" in "${text}"`),
  );

/** The strings of a source file that have a space or Chinese, that is, what people may read. Comments are left out. */
function stringsOf(source: string): string[] {
  const code = source.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/(^|\s)\/\/.*$/gm, "");
  const found = code.match(/"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g) ?? [];
  return found.map((text) => text.replaceAll(/\$\{[^}]*\}/g, "")).filter((text) => /\s|\p{Script=Han}/u.test(text));
}

function textsInCode(): Text[] {
  const folders = ["app", "components", "lib", "server", "tools/import"];
  const files = folders.flatMap((folder) =>
    readdirSync(new URL(folder, ROOT), { recursive: true, encoding: "utf8" }).map((path) => `${folder}/${path}`),
  );
  return files
    .filter((path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$|^lib\/testing\//.test(path))
    .flatMap((at) => stringsOf(readFileSync(new URL(at, ROOT), "utf8")).map((text) => ({ at, text })));
}

test("the glossary has its terms and phrases, so that the tests below find something", () => {
  expect(forbidden.length).toBeGreaterThan(50);
  expect(foundIn([{ at: "x", text: "The token has expired" }])).toHaveLength(1);
  expect(foundIn([{ at: "x", text: "the token endpoint; prompt tokens; 非流式" }])).toEqual([]);
});

test("no English text has a word that the glossary replaces", () => {
  expect(foundIn(textsOf(en, "en"))).toEqual([]);
});

test("no Chinese text has a word that the glossary replaces", () => {
  expect(foundIn(textsOf(zh, "zh"))).toEqual([]);
});

test("Chinese texts write the unit of models as Tokens or, of one, Token", () => {
  const small = /(?<![\w./{-])tokens?(?![\w-])/;
  expect(textsOf(zh, "zh").filter(({ text }) => small.test(text))).toEqual([]);
});

test("no text of the API reference has a word that the glossary replaces", () => {
  expect(foundIn(textsOf(reference, "openapi"))).toEqual([]);
});

test("no text written in the code has a word that the glossary replaces", () => {
  expect(foundIn(textsInCode())).toEqual([]);
});

test("the README has no word that the glossary replaces", () => {
  expect(foundIn([{ at: "README.md", text: readFileSync(new URL("README.md", ROOT), "utf8") }])).toEqual([]);
});

test("the terms of the glossary are the ones that the console shows", () => {
  expect([en.shell.token, zh.shell.token, en.user.status2, zh.user.status2]).toEqual([
    "API keys",
    "令牌",
    "Banned",
    "已封禁",
  ]);
  expect([en.log.retry, zh.log.retry, zh.log.nonStream, zh.user.status1]).toEqual([
    "Route",
    "渠道链路",
    "非流式",
    "正常",
  ]);
});
