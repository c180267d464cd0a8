import { migrateDatabase } from "@/db/migrate";
import { env } from "@/lib/env";
import { openCommandDatabase } from "../command-database";
import { whenDatabaseServes } from "../database-wait";
import { migrateStoreIfAny } from "../migrate-log-store";
import { say } from "../terminal";

/** Applies pending migrations and tells what they wait for. */
export async function run(): Promise<number> {
  const settings = env();
  const wait = { seconds: settings.WEIR_DATABASE_WAIT_SECONDS, tell: say };
  const { url, close } = await openCommandDatabase(settings, wait);
  try {
    await whenDatabaseServes(() => migrateDatabase(url, { tell: say }), wait);
    say("database up to date");
    return (await migrateStoreIfAny(say)) ? 0 : 1;
  } finally {
    await close();
  }
}
