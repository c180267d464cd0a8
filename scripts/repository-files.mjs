import { execFileSync } from "node:child_process";

/** Every file that git tracks or would add, by its path from the root. */
export function repositoryFiles() {
  const args = ["ls-files", "-co", "--exclude-standard", "-z"];
  const listed = execFileSync("git", args, { encoding: "utf8", maxBuffer: 64 * 1_048_576 });
  return [...new Set(listed.split("\0").filter(Boolean))].sort();
}

export function lineAt(text, index) {
  return text.slice(0, index).split("\n").length;
}

/** Prints the problems. The exit code is 1 if there are any. */
export function report(problems) {
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}
