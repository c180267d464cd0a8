import { join } from "node:path";
import { createDatabase } from "@/db/client";
import { startEmbeddedPostgres } from "@/server/embedded-postgres";
import { startGateway, stopAll } from "../alternatives";
import { prepareDatabase } from "../weir";
import { modelsOf, quickTimes, usualTimes } from "./fault";
import { prepareRows } from "./prepare";
import { describeTable } from "./print";
import {
  addSituations,
  closeSituations,
  describeSituations,
  openSituations,
  runSituations,
  type SituationResult,
  situationModels,
} from "./situations/run";
import { fullPace, quickPace } from "./situations/upstream";
import { closeTable, openTable, type Result, runTable } from "./table";

export type FaultSettings = {
  /** An empty folder for the database. */
  directory: string;
  /** The gateway's bundle. */
  bundle: string;
  isQuick: boolean;
};

/**
 * Runs FailoverBench's situations and the fault table on a fresh installation and prints both. Returns the number of rows that
 * break a rule, or are worse than pass.
 */
export async function reportFaults(settings: FaultSettings): Promise<number> {
  const startedAt = performance.now();
  const { results, situations } = await runFresh(settings);
  const worse = situations.filter(({ verdict }) => verdict !== "pass");
  console.log("\n## FailoverBench's situations\n");
  console.log(describeSituations(situations));
  console.log(`\n${situations.length - worse.length} of ${situations.length} pass`);
  const broken = results.filter((result) => result.broken.length > 0);
  console.log(`\n## Faults, ${settings.isQuick ? "small limits" : "the defaults of a fresh install"}\n`);
  console.log(describeTable(results));
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
  console.log(`\n${results.length} rows in ${seconds} s, ${broken.length} of them break a rule`);
  for (const [rule, count] of countRules(broken)) console.log(`- ${rule}: ${count}`);
  return broken.length + worse.length;
}

type Fresh = { results: Result[]; situations: SituationResult[] };

async function runFresh({ directory, bundle, isQuick }: FaultSettings): Promise<Fresh> {
  const times = isQuick ? quickTimes : usualTimes;
  const rows = await openTable(times);
  const open = await openSituations(isQuick ? quickPace : fullPace);
  const postgres = await startEmbeddedPostgres({ directory: join(directory, "faults") });
  try {
    const key = await prepareDatabase(postgres.url, null, [...modelsOf(rows), ...situationModels(open)].join(","));
    const { db, sql, end } = createDatabase({ url: postgres.url, max: 2, applicationName: "weir-faults" });
    await prepareRows(db, rows, times);
    await addSituations(db, open);
    const { port } = await startGateway(bundle, {
      DATABASE_URL: postgres.localUrl,
      WEIR_JOURNAL_DIR: join(directory, "faults-journal"),
    });
    const gateway = { url: `http://127.0.0.1:${port}`, key };
    const situations = await runSituations(open, gateway);
    const results = await runTable(rows, { ...gateway, sql });
    await end();
    return { results, situations };
  } finally {
    await Promise.all([closeTable(rows), closeSituations(open)]);
    await stopAll();
    await postgres.stop();
  }
}

function countRules(broken: readonly Result[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const rule of broken.flatMap((result) => result.broken)) counts.set(rule, (counts.get(rule) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a);
}
