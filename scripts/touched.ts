import { readFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { build, type Loader, stop } from "esbuild";

// Which tests, screens and specs a change touches, by what imports it.

const isTest = (file: string) => /\.test\.tsx?$/.test(file);
const isPage = (file: string) => /^app\/.*\bpage\.tsx$/.test(file);
const isSpec = (file: string) => /^e2e\/.*\.spec\.ts$/.test(file);
/** What Next.js wraps around the pages of its folder. */
const isFrame = (file: string) => /^app\/(.*\/)?(layout|template|loading|error|not-found)\.tsx$/.test(file);

/** What esbuild need not read: it imports nothing. */
const loader: Record<string, Loader> = { ".css": "empty", ".svg": "empty", ".png": "empty" };

/**
 * The files that each file imports, values alone, as esbuild sees them from every test, spec and page. A page counts as
 * importing the layouts above it.
 */
export async function readImports(files: string[]): Promise<Map<string, string[]>> {
  const frames = files.filter(isFrame);
  const entries = [...frames, ...files.filter((file) => isTest(file) || isSpec(file) || isPage(file))];
  const { metafile } = await build({
    stdin: { contents: entries.map((entry) => `import "./${entry}";`).join("\n"), resolveDir: process.cwd() },
    bundle: true,
    metafile: true,
    write: false,
    packages: "external",
    platform: "node",
    format: "esm",
    jsx: "automatic",
    loader,
    logLevel: "error",
  });
  await stop();
  const imports = new Map(
    Object.entries(metafile.inputs).map(([file, input]) => [
      file,
      input.imports.filter(({ external }) => !external).map(({ path }) => path),
    ]),
  );
  for (const page of files.filter(isPage))
    imports.set(page, [
      ...(imports.get(page) ?? []),
      ...frames.filter((frame) => page.startsWith(`${dirname(frame)}/`)),
    ]);
  return imports;
}

/**
 * Every file that reaches a changed one, nearest first.
 */
export function usersOf(imports: ReadonlyMap<string, string[]>, changed: readonly string[]): string[] {
  const importers = new Map<string, string[]>();
  for (const [file, imported] of imports)
    for (const path of imported) importers.set(path, [...(importers.get(path) ?? []), file]);
  const found = new Set(changed);
  // A set is read in the order in which it grows: one import away, then two, …
  for (const file of found) for (const importer of importers.get(file) ?? []) found.add(importer);
  return [...found];
}

/** `app/(console)/channel/[id]/page.tsx` → `/channel/[id]` */
export const routeOf = (page: string) =>
  `/${dirname(page)
    .split("/")
    .slice(1)
    .filter((part) => !part.startsWith("("))
    .join("/")}`;

const firstPart = (route: string) => `/${route.split(/[/?#]/)[1] ?? ""}`;

/**
 * The screen that a spec opens most often, itself or by the classes of e2e/pages/, as the first part of its address; and
 * how much of what it opens that is.
 */
export function screenOf(text: string, readPage: (page: string) => string): { screen: string | null; share: number } {
  const counts = new Map<string, number>();
  const add = (screen: string, times: number) => counts.set(screen, (counts.get(screen) ?? 0) + times);
  for (const [, address = ""] of text.matchAll(/["'`](?:\$\{[\w.()]+\})?(\/[a-z]*)(?=[/?"'`$#])/g))
    if (!/^\/(api|v1|pg|mj|suno)$/.test(address)) add(address, 1);
  const opened = text.match(/\.open(At)?\(/g)?.length ?? 0;
  for (const [, page = ""] of text.matchAll(/from "\.\/pages\/([\w-]+)"/g))
    for (const [, address = ""] of readPage(page).matchAll(/goto\([`"](?:\$\{[\w.]+\})?(\/[a-z]*)/g))
      add(address, opened);
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const [most] = [...counts].sort(([, one], [, other]) => other - one);
  return most && all > 0 ? { screen: most[0], share: most[1] / all } : { screen: null, share: 0 };
}

const read = (file: string) => readFileSync(file, "utf8");
const testsIn = (spec: string) => read(spec).match(/^\s*test\(/gm)?.length ?? 0;

export type Touched = {
  tests: string[];
  routes: string[];
  specs: string[];
  /** How many there are, with those that the limits leave out. */
  of: { tests: number; screens: number; specs: number };
};

/** They keep the check of a small change short. */
const LIMITS = { tests: 12, screens: 3, testsOfSpecs: 12 };

/** What to run of `files` after a change: the nearest. */
export async function findTouched(files: string[], changed: readonly string[]): Promise<Touched> {
  const near = usersOf(await readImports(files), changed).filter((file) => files.includes(file));
  const tests = near.filter(isTest);
  const routes = [...new Set(near.filter(isPage).map(routeOf))];
  const shown = routes.slice(0, LIMITS.screens);
  const readPage = (page: string) => read(`e2e/pages/${page}.ts`);
  const ofScreens = files.filter(isSpec).map((spec) => {
    const { screen, share } = screenOf(read(spec), readPage);
    return { spec, share, at: shown.map(firstPart).indexOf(screen ?? "") };
  });
  const specs = [
    ...near.filter(isSpec),
    ...ofScreens
      .filter(({ at }) => at !== -1)
      .sort((one, other) => one.at - other.at || other.share - one.share || testsIn(one.spec) - testsIn(other.spec))
      .map(({ spec }) => spec),
  ];
  return {
    tests: tests.slice(0, LIMITS.tests),
    routes: shown,
    specs: takeSpecs([...new Set(specs)], changed),
    of: { tests: tests.length, screens: routes.length, specs: new Set(specs).size },
  };
}

/** Changed specs, and as many others as the limit has room for. */
function takeSpecs(specs: readonly string[], changed: readonly string[]): string[] {
  let room = LIMITS.testsOfSpecs;
  return specs.filter((spec) => {
    const count = testsIn(spec);
    if (!changed.includes(spec) && (basename(spec) === "every-screen.spec.ts" || count > room)) return false;
    room -= count;
    return true;
  });
}
