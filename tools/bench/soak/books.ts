import { join } from "node:path";
import { createDatabase } from "@/db/client";
import { listPending } from "@/lib/billing/pending-queries";
import { reconcile } from "@/lib/billing/reconcile";
import { readComparableHours, reconcileHours } from "@/lib/billing/reconcile-hours";
import { LOG_TYPE } from "@/lib/row-status";
import { startEmbeddedPostgres } from "@/server/embedded-postgres";
import type { Books } from "./verdict";

type Settings = { directory: string; answered: number; models: readonly string[] };

/** Reads the books of a Weir that has stopped. `models` are those whose whole answers were counted. */
export async function readBooks({ directory, answered, models }: Settings): Promise<Books> {
  const postgres = await startEmbeddedPostgres({ directory: join(directory, "postgres") });
  const { sql, end } = createDatabase({ url: postgres.url, max: 1, applicationName: "weir-bench" });
  try {
    const balances = await reconcile(sql);
    const hours = await reconcileHours(sql, [await readComparableHours(sql)]);
    const pending = await listPending(sql, join(directory, "journal"));
    const [held] = await sql<{ reserved: string }[]>`
      select (select coalesce(sum(amount), 0) from leases) + (select coalesce(sum(reserved), 0) from users)
        + (select coalesce(sum(reserved), 0) from tokens) + (select coalesce(sum(reserved), 0) from open_charges) as reserved`;
    const [log] = await sql<{ rows: string }[]>`
      select count(*) as rows from usage_logs where type = ${LOG_TYPE.consume} and model_name = any(${[...models]})`;
    return {
      differences: [...balances.differences, ...hours.differences],
      unbooked: pending.journal.length + pending.refused.length + pending.damaged.length,
      reserved: Number(held?.reserved),
      answered,
      charged: Number(log?.rows),
    };
  } finally {
    await end();
    await postgres.stop();
  }
}
