import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

// Uses only Node's own modules, like steps.mjs.

/** The path and expected lines of every place that a patch changes. */
function* changesOf(patch) {
  let file = "";
  let lines = null;
  for (const line of patch.split("\n")) {
    if (line.startsWith("@@") || line.startsWith("diff --git")) {
      if (lines) yield { file, text: lines.join("\n") };
      lines = line.startsWith("@@") ? [] : null;
    } else if (lines === null) {
      if (line.startsWith("+++ b/")) file = line.slice("+++ b/".length);
    } else if (line.startsWith("+") || line.startsWith(" ")) lines.push(line.slice(1));
  }
  if (lines) yield { file, text: lines.join("\n") };
}

/**
 * Files of node_modules that lack a change from patches/. Runs at every start, possibly under an account that can only
 * read the packages, so it writes nothing and starts no process.
 */
export function findUnpatchedFiles(root = ".") {
  const unpatched = new Set();
  for (const name of readdirSync(join(root, "patches")).filter((entry) => entry.endsWith(".patch"))) {
    for (const { file, text } of changesOf(readFileSync(join(root, "patches", name), "utf8"))) {
      if (!readFileSync(join(root, file), "utf8").includes(text)) unpatched.add(file);
    }
  }
  return [...unpatched];
}
