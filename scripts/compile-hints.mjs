import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * V8 compiles the functions of a file that begins with this line when it loads the file, and keeps them in the browser's
 * code cache. Without it, the cache has no function that runs after the file was read; a page compiles some 800 of
 * them again on every visit. https://v8.dev/blog/explicit-compile-hints
 */
const hint = "//# allFunctionsCalledOnLoad\n";

/** Adds the hint to every script of a folder that has none. */
export function addCompileHints(directory) {
  for (const name of readdirSync(directory)) {
    if (!name.endsWith(".js")) continue;
    const file = join(directory, name);
    const text = readFileSync(file, "utf8");
    if (!text.startsWith(hint)) writeFileSync(file, hint + text);
  }
}
