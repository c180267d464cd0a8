import { connect } from "@/db/connect";
import { assertSchemaCurrent } from "@/db/schema-version";
import { env } from "@/lib/env";
import { logger } from "@/lib/logger";
import { whenDatabaseServes } from "./database-wait";

/**
 * Throws when the database lacks migrations of this version, before a request finds out. Waits for a database that cannot serve
 * yet, because a process that ends and starts again costs more.
 */
export async function refuseOldSchema(url: string): Promise<void> {
  const { WEIR_DATABASE_WAIT_SECONDS: seconds } = env();
  await whenDatabaseServes(() => lookAtSchema(url), { seconds, tell: (message) => logger.warn(message) });
}

async function lookAtSchema(url: string): Promise<void> {
  const sql = connect(url, { max: 1, connect_timeout: 10, onnotice: () => {} });
  try {
    await assertSchemaCurrent(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}
