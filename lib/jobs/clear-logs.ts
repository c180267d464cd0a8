import type { Sql } from "@/db/client";
import { nowSeconds } from "@/lib/clock";
import { env } from "@/lib/env";
import { clearOldLogs, readRetentionDays } from "@/lib/usage-log/clear-old-logs-commands";

/** Archives and deletes what was cleared, or is older than the log is kept. */
export async function clearLogs(sql: Sql, stopping?: AbortSignal): Promise<string> {
  const { WEIR_ARCHIVE_URL, WEIR_ARCHIVE_FORMAT } = env();
  return clearOldLogs(sql, {
    url: WEIR_ARCHIVE_URL ?? null,
    format: WEIR_ARCHIVE_FORMAT,
    retentionDays: await readRetentionDays(sql),
    now: nowSeconds(),
    stopping,
  });
}
