import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createDatabase } from "@/db/client";
import { migrateDatabase } from "@/db/migrate";
import { listPending } from "@/lib/billing/pending-queries";
import { reconcile } from "@/lib/billing/reconcile";
import { readComparableHours, reconcileHours } from "@/lib/billing/reconcile-hours";
import { env } from "@/lib/env";
import { startEmbeddedPostgres } from "./embedded-postgres";
import { portIfFree } from "./ports";

const settings = env();
const directory = join(resolve(settings.WEIR_DATA_DIR), "postgres");

/** DATABASE_URL if set, else the built-in database; `close` stops it again if it had to be started. */
async function openUrl(): Promise<{ url: string; close: () => Promise<void> }> {
  if (settings.DATABASE_URL) return { url: settings.DATABASE_URL, close: async () => {} };
  if (!existsSync(join(directory, "port"))) {
    throw new Error(
      `No data in ${settings.WEIR_DATA_DIR}. Set WEIR_DATA_DIR (the demo's is .data/demo) or DATABASE_URL.`,
    );
  }
  const port = Number(readFileSync(join(directory, "port"), "utf8"));
  if ((await portIfFree(port)) === null) {
    const password = readFileSync(join(directory, "password"), "utf8").trim();
    return { url: `postgres://weir:${password}@127.0.0.1:${port}/postgres`, close: async () => {} };
  }
  const server = await startEmbeddedPostgres({ directory });
  return { url: server.url, close: server.stop };
}

const { url, close } = await openUrl();
const { sql, end } = createDatabase({ url, max: 1, applicationName: "weir-reconcile" });
try {
  await migrateDatabase(url);
  const balances = await reconcile(sql);
  const hours = await reconcileHours(sql, [await readComparableHours(sql)]);
  const checked = { ...balances.checked, ...hours.checked };
  const differences = [...balances.differences, ...hours.differences];
  for (const [check, rows] of Object.entries(checked)) console.log(`${check}: ${rows} rows`);
  for (const difference of differences) console.log(`DIFFERS ${JSON.stringify(difference)}`);
  console.log(`${differences.length} differences`);
  const pending = await listPending(sql, settings.WEIR_JOURNAL_DIR ?? join(resolve(settings.WEIR_DATA_DIR), "journal"));
  for (const charge of pending.journal) console.log(`NOT BOOKED, in a journal ${JSON.stringify(charge)}`);
  for (const charge of pending.refused) console.log(`NOT BOOKED, refused ${JSON.stringify(charge)}`);
  const quota = [...pending.journal, ...pending.refused].reduce((sum, charge) => sum + charge.quota, 0);
  console.log(
    `${pending.journal.length} charges in journals and ${pending.refused.length} refused are not booked: ${quota} quota` +
      (pending.damaged > 0 ? `; ${pending.damaged} journal lines cannot be read` : ""),
  );
  process.exitCode = differences.length === 0 ? 0 : 1;
} finally {
  await end();
  await close();
}
