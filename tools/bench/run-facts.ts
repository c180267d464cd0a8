import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { cpus, release, totalmem, type } from "node:os";
import { join } from "node:path";
import type { OtherGateway } from "./against";

export type RunFacts = {
  now: Date;
  /** Names of the rows, as the tables have them. */
  rows: readonly string[];
  others: readonly OtherGateway[];
  /** The folder of PostgreSQL's data; null = it does not take part. */
  database: string | null;
};

/** When and where the figures were measured, and the version of each row: without these a table cannot be compared. */
export function runFacts({ now, rows, others, database }: RunFacts): string {
  const facts = new Map([
    ["date", now.toISOString().slice(0, 16).replace("T", " ")],
    [
      "machine",
      `${cpus().length} × ${cpus()[0]?.model ?? "unknown"}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, ${type()} ${release()}`,
    ],
    ["Node.js", process.version],
  ]);
  if (database !== null) facts.set("PostgreSQL", readFileSync(join(database, "PG_VERSION"), "utf8").trim());
  if (rows.includes("nginx")) facts.set("nginx", /[\d.]+/.exec(said("nginx", ["-v"]))?.[0] ?? "unknown");
  if (rows.some((name) => name.startsWith("weir"))) facts.set("weir", weirVersion());
  for (const { name, version } of others) facts.set(name, version || "version not given");
  return ["| | |\n|---|---|", ...[...facts].map(([name, text]) => `| ${name} | ${text} |`)].join("\n");
}

/** Of the package, and of the sources if they are a clone. */
function weirVersion(): string {
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  const commit = said("git", ["describe", "--always", "--dirty"]);
  return commit ? `${version}, ${commit}` : version;
}

function said(program: string, args: readonly string[]): string {
  const { stdout, stderr, status } = spawnSync(program, args, { encoding: "utf8" });
  return status === 0 ? `${stdout}${stderr}`.trim() : "";
}
