import { join } from "node:path";
import { createDatabase } from "@/db/client";
import { startEmbeddedPostgres } from "@/server/embedded-postgres";
import { startGateway, stopAll } from "../alternatives";
import { prepareDatabase } from "../weir";
import { modelsOf, quickTimes, usualTimes } from "./fault";
import { prepareRows } from "./prepare";
import { describeTable } from "./print";
import { closeTable, openTable, type Result, runTable } from "./table";

export type FaultSettings = {
  /** An empty folder for the database. */
  directory: string;
  /** The gateway's bundle. */
  bundle: string;
  isQuick: boolean;
};

/** Runs the fault table on a fresh installation and prints it. Returns the number of rows that break a rule. */
export async function reportFaults(settings: FaultSettings): Promise<number> {
  const startedAt = performance.now();
  const results = await runFresh(settings);
  const broken = results.filter((result) => result.broken.length > 0);
  console.log(`\n## Faults, ${settings.isQuick ? "small limits" : "the defaults of a fresh install"}\n`);
  console.log(describeTable(results));
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
  console.log(`\n${results.length} rows in ${seconds} s, ${broken.length} of them break a rule`);
  for (const [rule, count] of countRules(broken)) console.log(`- ${rule}: ${count}`);
  return broken.length;
}

async function runFresh({ directory, bundle, isQuick }: FaultSettings): Promise<Result[]> {
  const times = isQuick ? quickTimes : usualTimes;
  const rows = await openTable(times);
  const postgres = await startEmbeddedPostgres({ directory: join(directory, "faults") });
  try {
    const key = await prepareDatabase(postgres.url, null, modelsOf(rows).join(","));
    const { db, sql, end } = createDatabase({ url: postgres.url, max: 2, applicationName: "weir-faults" });
    await prepareRows(db, rows, times);
    const { port } = await startGateway(bundle, {
      DATABASE_URL: postgres.localUrl,
      WEIR_JOURNAL_DIR: join(directory, "faults-journal"),
    });
    const results = await runTable(rows, { url: `http://127.0.0.1:${port}`, key, sql });
    await end();
    return results;
  } finally {
    await closeTable(rows);
    await stopAll();
    await postgres.stop();
  }
}

function countRules(broken: readonly Result[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const rule of broken.flatMap((result) => result.broken)) counts.set(rule, (counts.get(rule) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a);
}
