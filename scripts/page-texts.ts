import { dirname, join } from "node:path/posix";

/** Paths relative to the repository, with the file's text. */
export type Sources = ReadonlyMap<string, string>;

type Module = {
  kind: "client" | "action" | "server";
  imports: string[];
  /** Paths of the texts that it asks for with useTranslations. */
  needs: string[];
  /** Paths of the texts in its <Texts of={[…]}>. */
  gives: string[];
  /** It calls useTranslations without a literal path. */
  isUnclear: boolean;
};

type Gift = { giver: string; path: string };

const ENTRY = /^app\/(.*\/)?(page|layout|error|not-found|loading|template|default|global-error)\.tsx$/;
const IMPORT = /^(?:import|export)\s+(?!type\b)(?:([^;"']*?)\sfrom\s+)?"([^"]+)"|\bimport\(\s*"([^"]+)"/gm;
const CALL = /\buseTranslations\(\s*(?:"([^"]+)")?/g;
const TEXTS = /<Texts\s+of=\{\[([^\]]*)\]\}/g;
const ONLY_TYPES = /^\{\s*(type\s+[^,]+,?\s*)+\}$/;

/**
 * Compares the texts that the client components of each page and layout use with those they are given by the
 * <Texts> of their own file or one above. A module that is imported on the way from a "use client" file counts as a
 * client component. A <Texts> is taken to stand around everything that its file renders.
 */
export function checkPageTexts(sources: Sources): string[] {
  const modules = new Map([...sources].map(([path, text]) => [path, readModule(sources, path, text)]));
  const reach = clientReach(modules);
  const problems = new Set<string>();
  const used = new Set<string>();
  const walked = new Set<string>();

  const meet = (entry: string, path: string, given: readonly Gift[]) => {
    const need = [...reach(path)].flatMap((file) => (modules.get(file)?.needs ?? []).map((text) => ({ file, text })));
    for (const { file, text } of need) {
      const gift = given.find((one) => covers(one.path, text));
      if (!gift) problems.add(`${entry}: no texts "${text}" for ${file}`);
      else if (gift.path === text) used.add(nameOf(gift));
    }
  };
  const walk = (entry: string, path: string, above: readonly Gift[]) => {
    const module = modules.get(path);
    const key = [entry, path, ...above.map(nameOf)].join("|");
    if (!module || module.kind === "action" || walked.has(key)) return;
    walked.add(key);
    if (module.kind === "client") return meet(entry, path, above);
    const given = [...above, ...giftsOf(path, module)];
    for (const next of module.imports) walk(entry, next, given);
  };

  for (const entry of modules.keys()) if (ENTRY.test(entry)) walk(entry, entry, giftsAbove(modules, entry));
  for (const [path, module] of modules) {
    for (const gift of giftsOf(path, module))
      if (!used.has(nameOf(gift)))
        problems.add(`${path}: nothing uses the texts "${gift.path}", or they are given above`);
    if (module.isUnclear) problems.add(`${path}: useTranslations needs the path of its texts as a literal`);
  }
  return [...problems].sort();
}

const covers = (given: string, needed: string) => needed === given || needed.startsWith(`${given}.`);
const nameOf = ({ giver, path }: Gift) => `${giver}:${path}`;
const giftsOf = (giver: string, { gives }: Module): Gift[] => gives.map((path) => ({ giver, path }));

/** The texts given by the layouts around an entry, the outermost first. */
function giftsAbove(modules: ReadonlyMap<string, Module>, entry: string): Gift[] {
  if (entry.endsWith("/global-error.tsx")) return [];
  const folders = dirname(entry).split("/");
  return folders.flatMap((_, index) => {
    const layout = `${folders.slice(0, index + 1).join("/")}/layout.tsx`;
    const module = modules.get(layout);
    return module && layout !== entry ? giftsOf(layout, module) : [];
  });
}

/** The modules that reach the browser with a client module. Server actions stay on the server. */
function clientReach(modules: ReadonlyMap<string, Module>): (path: string) => Set<string> {
  const known = new Map<string, Set<string>>();
  return (path) => {
    const reached = known.get(path) ?? new Set([path]);
    if (known.has(path)) return reached;
    known.set(path, reached);
    for (const file of reached)
      for (const next of modules.get(file)?.imports ?? []) if (modules.get(next)?.kind !== "action") reached.add(next);
    return reached;
  };
}

function readModule(sources: Sources, path: string, text: string): Module {
  const imports = [...text.matchAll(IMPORT)]
    .filter(([, names]) => !ONLY_TYPES.test(names ?? ""))
    .map(([, , from, lazily]) => resolve(sources, path, from ?? lazily ?? ""))
    .filter((found) => found !== null);
  const calls = [...text.matchAll(CALL)].map(([, name]) => name);
  const lists = [...text.matchAll(TEXTS)].map(([, list]) => list ?? "");
  return {
    kind: /^\s*"use client"/.test(text) ? "client" : /^\s*"use server"/.test(text) ? "action" : "server",
    imports,
    needs: [...new Set(calls.filter((name) => name !== undefined))],
    gives: lists.flatMap((list) => [...list.matchAll(/"([^"]+)"/g)].map(([, name]) => name ?? "")),
    isUnclear: calls.includes(undefined),
  };
}

function resolve(sources: Sources, from: string, name: string): string | null {
  const base = name.startsWith("@/") ? name.slice(2) : name.startsWith(".") ? join(dirname(from), name) : null;
  if (base === null) return null;
  return ["", ".ts", ".tsx", "/index.ts", "/index.tsx"].map((end) => base + end).find((at) => sources.has(at)) ?? null;
}
