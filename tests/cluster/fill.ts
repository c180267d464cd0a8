import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const FILES = join(process.cwd(), "ops", "cluster");

/**
 * A file of ops/cluster with these values in place of those of cluster.env, by fill.sh as docs/cluster.md uses it. The values
 * are written to the file `valuesFile`.
 */
export function fillFile(valuesFile: string, file: string, values: Record<string, string>): string {
  const template = readFileSync(join(FILES, "cluster.env"), "utf8");
  writeFileSync(
    valuesFile,
    template.replace(
      /^([A-Z][A-Z0-9_]*)=(.*)$/gm,
      (_line, name: string, usual: string) => `${name}=${values[name] ?? usual}`,
    ),
  );
  const filled = spawnSync(join(FILES, "fill.sh"), [valuesFile, join(FILES, file)], { encoding: "utf8" });
  if (filled.status !== 0) throw new Error(`fill.sh ${file}: ${filled.stderr}`);
  return filled.stdout;
}
