import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { judgeMigration } from "./migration-rules";

// Migrations since the last release must let settlements and the version before go on (db/README.md).

const folder = join("db", "migrations");
const read = (path: string): unknown => JSON.parse(readFileSync(path, "utf8"));
const { migration: released, commit } = read(join("db", "released.json")) as { migration: string; commit: string };
const { entries } = read(join(folder, "meta", "_journal.json")) as { entries: { tag: string; when: number }[] };

const from = entries.findIndex(({ tag }) => tag === released);
const problems = from < 0 ? [`db/released.json names ${released}, which is not in the journal`] : [];
if (!isInHistory(commit)) problems.push(`db/released.json names ${commit}, which is no commit before this one`);
for (const { tag } of entries.slice(from + 1)) {
  const found = judgeMigration(readFileSync(join(folder, `${tag}.sql`), "utf8"));
  problems.push(...found.map((problem) => `${tag}: ${problem}`));
}
entries.forEach(({ tag, when }, index) => {
  if (index > 0 && when <= (entries[index - 1]?.when ?? 0)) {
    problems.push(`${tag}: its "when" is not later than that of the migration before, so databases would leave it out`);
  }
});
const newest = `${entries.at(-1)?.tag.split("_")[0]}_snapshot.json`;
for (const name of readdirSync(join(folder, "meta"))) {
  // drizzle-kit compares the schema with the newest one alone; each has 6,000 lines.
  if (name.endsWith("_snapshot.json") && name !== newest) problems.push(`meta/${name} is not the newest: delete it`);
}
if (problems.length > 0) {
  console.log(
    `${problems.join("\n")}\n\nA statement may be excused by a comment in it: -- safe: REASON (db/README.md)`,
  );
}
process.exitCode = problems.length === 0 ? 0 : 1;

/** True also where nobody can know: without git, and in a clone without its history. */
function isInHistory(name: string): boolean {
  const git = (...words: string[]) => spawnSync("git", words, { encoding: "utf8" });
  if (git("rev-parse", "--is-shallow-repository").stdout?.trim() !== "false") return true;
  return git("merge-base", "--is-ancestor", name, "HEAD").status === 0;
}
