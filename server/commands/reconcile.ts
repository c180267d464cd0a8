import { join, resolve } from "node:path";
import { createDatabase } from "@/db/client";
import { assertSchemaCurrent } from "@/db/schema-version";
import { listPending } from "@/lib/billing/pending-queries";
import { reconcile } from "@/lib/billing/reconcile";
import { readComparableHours, reconcileHours } from "@/lib/billing/reconcile-hours";
import { env } from "@/lib/env";
import { openCommandDatabase } from "../command-database";

/** Prints what was compared, what differs, and what is not booked yet. Returns the exit code: 1 when something differs or a journal is damaged. */
export async function run(): Promise<number> {
  const settings = env();
  const { url, close } = await openCommandDatabase(settings);
  const { sql, end } = createDatabase({ url, max: 1, applicationName: "weir-reconcile" });
  try {
    await assertSchemaCurrent(sql);
    const balances = await reconcile(sql);
    const hours = await reconcileHours(sql, [await readComparableHours(sql)]);
    const checked = { ...balances.checked, ...hours.checked };
    const differences = [...balances.differences, ...hours.differences];
    for (const [check, rows] of Object.entries(checked)) console.log(`${check}: ${rows} rows`);
    for (const difference of differences) console.log(`DIFFERS ${JSON.stringify(difference)}`);
    console.log(`${differences.length} differences`);
    const directory = settings.WEIR_JOURNAL_DIR ?? join(resolve(settings.WEIR_DATA_DIR), "journal");
    const pending = await listPending(sql, directory);
    printPending(pending, directory);
    return differences.length === 0 && pending.damaged.length === 0 ? 0 : 1;
  } finally {
    await end();
    await close();
  }
}

function printPending(pending: Awaited<ReturnType<typeof listPending>>, directory: string): void {
  for (const charge of pending.journal) console.log(`NOT BOOKED, in a journal ${JSON.stringify(charge)}`);
  for (const charge of pending.refused) console.log(`NOT BOOKED, refused ${JSON.stringify(charge)}`);
  for (const { name, places } of pending.damaged) {
    console.log(`DAMAGED ${join(directory, name)}: unreadable, missing or repeated in ${places} places`);
  }
  for (const name of pending.foreign) console.log(`ANOTHER DATABASE'S ${join(directory, name)}`);
  const quota = [...pending.journal, ...pending.refused].reduce((sum, charge) => sum + charge.quota, 0);
  console.log(
    `${pending.journal.length} charges in journals and ${pending.refused.length} refused are not booked: ${quota} quota`,
  );
  if (pending.damaged.length > 0)
    console.log(`${pending.damaged.length} damaged journals; remove them when they are examined`);
}
