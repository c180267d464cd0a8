import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

// Counts how many files of lib/relay a page, an action, a route or a component loads, and the console's process at its
// start: every page pays for what it imports. Types cost nothing. What import() loads counts, too, except in the files of
// LATER, where only who asks an upstream pays for it. And no page loads by statements what few who open it need (HEAVY).
// --all prints every file that loads any; --why=FILE prints the way to each relay file that FILE loads.

const RELAY = "lib/relay/";
const MAX = 15;
const BOUNDS = { "server/console.ts": 10 };
/** What is read at least; less means that imports are no longer understood. */
const FILES_MIN = 1_000;

/** Files that load the relay by import(), when somebody needs it, each with its reason. */
const LATER = {
  "components/channel/actions.ts": "tests channels and reads their balances",
  "app/api/channel/[[...path]]/route.ts": "tests channels",
  "app/api/channel/upstream-routes.ts": "reads balances and model lists from upstreams",
  "lib/channel/load-checks.ts": "reads the key and the address of a channel that is saved as the relay does",
  "lib/playground/commands.ts": "relays a call of the playground",
  "lib/playground/video-queries.ts": "relays the video of a task",
};

/** Packages of 1 to 7 MB of the console's memory that stay once they are loaded: by import(), when somebody needs them. */
const HEAVY = [
  "@aws-sdk/client-s3",
  "@simplewebauthn/server",
  "gpt-tokenizer",
  "next-auth",
  "nodemailer",
  "openid-client",
  "pdfkit",
  "sanitize-html",
  "stripe",
  "undici",
];
/** Pages that show a text of the operator's, which may be HTML. */
const WITH_HEAVY = ["app/(public)/about/page.tsx", "app/(public)/page.tsx"];
const PAGE = /^app\/.*\b(page|layout|not-found|error)\.tsx$|^proxy\.ts$/;

const STATEMENT =
  /^(?:import|export)\s+(?!type\b)(?:[\w$]+\s*,?\s*)?(?:\*(?:\s+as\s+[\w$]+)?|\{[^}]*\})?\s*from\s+"([^"]+)"|^import\s+"([^"]+)"/gm;
const LOADED_LATER = /(?<!typeof )\bimport\(\s*"([^"]+)"\s*\)/g;
const ENDINGS = [".ts", ".tsx", "/index.ts", "/index.tsx", ""];

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));

const filesBelow = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /(?<!\.test|\.d)\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));

/** The project's file that an import names; undefined = a package, or no module with imports of its own. */
function resolve(from, name) {
  if (!/^(?:@|\.{1,2})\//.test(name)) return undefined;
  const path = name.startsWith("@/") ? name.slice(2) : normalize(join(dirname(from), name));
  const file = ENDINGS.map((ending) => path + ending).find((each) => existsSync(each) && statSync(each).isFile());
  if (!file) throw new Error(`${from} imports ${name}, which is not there`);
  return /\.tsx?$/.test(file) ? file : undefined;
}

const graph = new Map();

function importsOf(file) {
  const known = graph.get(file);
  if (known) return known;
  const source = readFileSync(file, "utf8");
  const found = [...source.matchAll(STATEMENT), ...(file in LATER ? [] : source.matchAll(LOADED_LATER))];
  const names = found.map(([, named, bare]) => named ?? bare);
  const files = [...new Set(names.flatMap((name) => resolve(file, name) ?? []))];
  graph.set(file, files);
  return files;
}

/** What a file loads, each with the file that imports it first. */
function loadedBy(entry) {
  const importers = new Map([[entry, null]]);
  for (const [file] of importers) {
    for (const next of importsOf(file)) if (!importers.has(next)) importers.set(next, file);
  }
  return importers;
}

/** The heavy packages that a file loads with its statements, and theirs. */
function heavyOf(entry) {
  const files = new Set([entry]);
  const found = new Set();
  for (const file of files)
    for (const [, named, bare] of readFileSync(file, "utf8").matchAll(STATEMENT)) {
      const next = resolve(file, named ?? bare);
      if (next) files.add(next);
      else if (HEAVY.includes(named ?? bare)) found.add(`${named ?? bare} (${file})`);
    }
  return [...found];
}

const relayFiles = (importers) => [...importers.keys()].filter((file) => file.startsWith(RELAY));

/** Whether a file of LATER loads more by import() than it might with its statements. */
function loadsLater(file) {
  if (!existsSync(file)) return false;
  const names = [...readFileSync(file, "utf8").matchAll(LOADED_LATER)].map(([, name]) => resolve(file, name));
  return names.some((later) => later && relayFiles(loadedBy(later)).length > MAX);
}

function printWays(entry) {
  const importers = loadedBy(entry);
  for (const file of relayFiles(importers)) {
    const way = [file];
    for (let at = importers.get(file); at; at = importers.get(at)) way.push(at);
    console.log(way.join(" ← "));
  }
}

const why = process.argv.find((argument) => argument.startsWith("--why="))?.slice("--why=".length);
if (why) {
  printWays(why);
} else {
  const entries = [...filesBelow("app"), ...filesBelow("components"), ...Object.keys(BOUNDS)];
  const counts = entries
    .map((file) => ({ file, count: relayFiles(loadedBy(file)).length, max: BOUNDS[file] ?? MAX }))
    .sort((a, b) => b.count - a.count || (a.file < b.file ? -1 : 1));
  if (graph.size < FILES_MIN) throw new Error(`only ${graph.size} files were looked at`);
  const tooMany = counts.filter(({ count, max }) => count > max);
  const heavy = [...filesBelow("app"), "proxy.ts"]
    .filter((file) => PAGE.test(file) && !WITH_HEAVY.includes(file))
    .flatMap((file) => heavyOf(file).map((name) => `${file} loads ${name}`));
  const needless = Object.keys(LATER).filter((file) => !loadsLater(file));
  const shown = process.argv.includes("--all") ? counts.filter(({ count }) => count > 0) : tooMany;
  for (const { file, count, max } of shown) console.log(`${count} of at most ${max}: ${file}`);
  for (const name of needless) console.log(`loads no relay later: ${name}`);
  for (const line of heavy) console.log(line);
  console.log(
    `${entries.length} files, ${tooMany.length} load too much of the relay, ${heavy.length} a package that few need`,
  );
  process.exitCode = tooMany.length + needless.length + heavy.length > 0 ? 1 : 0;
}
