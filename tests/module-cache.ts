import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

const PREFIX = "weir-test-modules-";
const DAY_MS = 86_400_000;
const withoutSources = /^(node_modules|dist|dist-bench|test-results|\..*)$/;

/**
 * The folder in which vitest keeps its translation of each module for the next run. A kept module names the files that its
 * imports led to, so the folder goes by the list of files: one that is added, moved or deleted may be what an import means.
 */
export function moduleCache(root: string): string {
  const parent = join(root, "node_modules", ".cache");
  mkdirSync(parent, { recursive: true });
  const name = `${PREFIX}${createHash("sha1").update(sourceFiles(root).join("\n")).digest("hex")}`;
  for (const other of readdirSync(parent)) {
    if (!other.startsWith(PREFIX) || other === name) continue;
    const changedAt = statSync(join(parent, other), { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    // A run that began before the list changed may still use it.
    if (Date.now() - changedAt > DAY_MS) rmSync(join(parent, other), { recursive: true, force: true });
  }
  return join(parent, name);
}

function sourceFiles(root: string): string[] {
  const folders = readdirSync(root).filter((name) => !withoutSources.test(name));
  return folders
    .flatMap((name) =>
      statSync(join(root, name)).isDirectory()
        ? readdirSync(join(root, name), { recursive: true }).map((path) => `${name}/${path}`)
        : [name],
    )
    .filter((path) => /\.(tsx?|[cm]?jsx?|json)$/.test(path))
    .sort();
}
