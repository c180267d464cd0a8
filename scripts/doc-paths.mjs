// Checks that everything the documents refer to exists: paths of the repository, link targets and npm scripts.
//   node scripts/doc-paths.mjs
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join, normalize } from "node:path";
import { lineAt, report, repositoryFiles } from "./repository-files.mjs";

const files = repositoryFiles().filter((file) => existsSync(file));
const paths = new Set(files);
const names = new Set(files.map((file) => basename(file)));
for (const file of files) {
  for (let folder = dirname(file); folder !== "."; folder = dirname(folder)) paths.add(folder);
}
const topLevel = new Set([...paths].filter((path) => !path.includes("/") && !paths.has(`${path}.md`)));
const scripts = JSON.parse(readFileSync("package.json", "utf8")).scripts ?? {};
const problems = [];

const SOURCE = /\.(tsx?|mjs|cjs|json|md|sql|png|ya?ml)$/;
/** Placeholders and patterns do not name a single path. */
const PATTERN = /[*<>{}…$|]|^https?:/;

/** Whether a word of a document must be a path of this repository. */
function isPath(word, isCode) {
  if (PATTERN.test(word) || !/^[\w.@()[\]-]+(\/[\w.@()[\]-]*)*$/.test(word)) return false;
  const [first, second] = word.split("/");
  if (second !== undefined && topLevel.has(first)) return true;
  return isCode && (SOURCE.test(word) || (word.endsWith("/") && !first.startsWith(".")));
}

/**
 * Looks from the root and from the document's folder, also without an extension as in imports. A bare file name may be
 * anywhere.
 */
function exists(word, document) {
  const path = normalize(word).replace(/\/$/, "");
  const candidates = [path, join(dirname(document), path), `${path}.ts`];
  return candidates.some((candidate) => paths.has(candidate)) || (!word.includes("/") && names.has(word));
}

/** The words of a document with their positions and whether they are in code. */
function* wordsOf(text) {
  for (const { 0: part, index } of text.matchAll(/```[\s\S]*?```|`[^`\n]+`|[^`]+/g)) {
    for (const { 0: word, index: at } of part.matchAll(/(?:(?!\]\()[^\s`,;:"'=])+/g)) {
      yield { word: word.replace(/^\]?[([]+|[.)\]]+$/g, ""), at: index + at, isCode: part.startsWith("`") };
    }
  }
}

function anchorsOf(file) {
  const headings = readFileSync(file, "utf8").matchAll(/^#+ (.*)$/gm);
  const slug = (heading) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-");
  return new Set([...headings].map(([, heading]) => slug(heading)));
}

function checkLink(target, document) {
  const [path, anchor] = target.split("#");
  const file = path === "" ? document : normalize(join(dirname(document), path));
  if (!paths.has(file.replace(/\/$/, ""))) return `the link ${target} leads nowhere`;
  if (anchor && file.endsWith(".md") && !anchorsOf(file).has(anchor)) return `${file} has no heading #${anchor}`;
  return null;
}

/** Documents in patches/ describe files inside packages, so they are not checked. */
const isOurs = (file) => file.endsWith(".md") && !file.startsWith("patches/");
/** These name files of other programs, and of the reader's own. */
const isOfClients = (file) => file.startsWith("docs/clients/") || file === "docs/api.md";

for (const document of files.filter(isOurs)) {
  const text = readFileSync(document, "utf8");
  const fail = (index, message) => problems.push(`${document}:${lineAt(text, index)}: ${message}`);
  for (const { word, at, isCode } of wordsOf(text)) {
    if (isPath(word, isCode && !isOfClients(document)) && !exists(word, document)) fail(at, `${word} does not exist`);
  }
  for (const { 1: target, index } of text.matchAll(/\]\(([^)\s]+)\)/g)) {
    const problem = /^(https?|mailto):/.test(target) ? null : checkLink(target, document);
    if (problem) fail(index, problem);
  }
  for (const { 1: name, index } of text.matchAll(/\bnpm run ([\w:-]+)/g)) {
    if (!Object.hasOwn(scripts, name)) fail(index, `package.json has no script ${name}`);
  }
}
report(problems);
