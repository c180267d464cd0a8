// Compares the requirements in docs/ with the tests that prove them and the comments that cite them.
//   node scripts/coverage.mjs            which test proves which requirement
//   node scripts/coverage.mjs --missing  only the ids without a test
//   node scripts/coverage.mjs --check    only problems
// Fails when a requirement has no test, or when a test, comment or document cites an id or a section that does not exist.
import { existsSync, readFileSync } from "node:fs";
import { lineAt, report, repositoryFiles } from "./repository-files.mjs";

const REQUIREMENTS = "docs/requirements.md";
const SECTIONED = { contract: "docs/contract.md", console: "docs/console.md" };
const ID = /\b[AB]\d{3}\b|(?<=\bdecision )T\d+\b/g;
const COMMENT = /\/\*[\s\S]*?\*\/|(?<![:"'`\\])\/\/.*$|(?<=^\s*)--.*$/gm;
/** The string after test( or describe(, also after .each(...)(. */
const TEST_NAME =
  /\b(?:test|it|describe)(?:\.\w+)*(?:\([^"'`]*\)|\(\[[\s\S]*?\]\s*(?:as const)?\s*,?\s*\))?\(\s*(["'`])([\s\S]*?)\1/g;
/**
 * A section number after its document's name; more sections of the same document may follow. Names in capitals are
 * external standards.
 */
const CITATION = /(?:\b([Cc]ontract|[Cc]onsole|RFC \d+|[A-Z]{2,}|Core)[\s*/]+)?§(\d+(?:\.\d+)*)(?: no\. (\d+))?/g;

const files = repositoryFiles().filter((file) => existsSync(file));
const read = new Map();
const textOf = (file) => {
  if (!read.has(file)) read.set(file, readFileSync(file, "utf8"));
  return read.get(file);
};
const isTest = (file) => /\.(test\.tsx?|spec\.ts)$/.test(file);
const isCode = (file) => /\.(tsx?|mjs|sql)$/.test(file);
const isDocument = (file) => file.endsWith(".md");
const problems = [];

const known = new Set([...textOf(REQUIREMENTS).matchAll(/^- \*\*([ABT]\d+)\*\* /gm)].map(([, id]) => id));
const ids = [...known].filter((id) => !id.startsWith("T"));

function checkIds(file, text, from) {
  for (const { 0: id, index } of text.matchAll(ID)) {
    if (!known.has(id)) problems.push(`${file}:${lineAt(textOf(file), from + index)}: ${id} is not in ${REQUIREMENTS}`);
  }
}

const covering = new Map();
for (const file of files.filter(isTest)) {
  for (const { index, 2: name } of textOf(file).matchAll(TEST_NAME)) {
    checkIds(file, name, index);
    for (const id of name.match(ID) ?? []) covering.set(id, (covering.get(id) ?? new Set()).add(file));
  }
}
for (const file of files.filter(isCode)) {
  for (const { 0: comment, index } of textOf(file).matchAll(COMMENT)) checkIds(file, comment, index);
}
for (const file of files.filter(isDocument)) checkIds(file, textOf(file), 0);

/** Each section with the numbers of its items. */
function sectionsOf(document) {
  const parts = textOf(document)
    .split(/^#+ §(?=\d)/m)
    .slice(1);
  return new Map(
    parts.map((part) => [
      /^[\d.]*\d/.exec(part)?.[0],
      new Set([...part.matchAll(/\*\*no\. (\d+)\*\*/g)].map(([, number]) => number)),
    ]),
  );
}

const sections = new Map(Object.entries(SECTIONED).map(([name, document]) => [name, sectionsOf(document)]));

function checkCitations(file) {
  // Inside a document with sections, its own sections are cited without a name.
  let current = Object.keys(SECTIONED).find((name) => SECTIONED[name] === file) ?? null;
  const own = current;
  let end = 0;
  for (const { 0: whole, 1: named, 2: section, 3: item, index } of textOf(file).matchAll(CITATION)) {
    if (named) current = named.toLowerCase();
    else if (/[();]|\n\s*\n/.test(textOf(file).slice(end, index)) || index - end > 60) current = own;
    end = index + whole.length;
    const at = `${file}:${lineAt(textOf(file), end)}`;
    if (current === null) problems.push(`${at}: §${section} names no document`);
    const items = sections.get(current)?.get(section);
    if (!sections.has(current)) continue;
    if (!items) problems.push(`${at}: ${current} §${section} is not in ${SECTIONED[current]}`);
    else if (item && !items.has(item)) problems.push(`${at}: ${current} §${section} has no no. ${item}`);
  }
}
for (const file of files) if (isCode(file) || isDocument(file)) checkCitations(file);

const missing = ids.filter((id) => !covering.has(id));
if (process.argv.includes("--missing")) {
  console.log(missing.join(" "));
} else {
  for (const id of missing) problems.push(`${id} of ${REQUIREMENTS} has no test`);
  if (!process.argv.includes("--check")) {
    for (const id of ids) if (covering.has(id)) console.log(`${id}  ${[...covering.get(id)].join(", ")}`);
  }
  console.log(`${ids.length - missing.length} of ${ids.length} ids have a test`);
}
report(problems);
