import { migrateDatabase } from "@/db/migrate";
import { env } from "@/lib/env";
import { openCommandDatabase } from "../command-database";
import { migrateStoreIfAny } from "../migrate-log-store";
import { say } from "../terminal";

/** Applies pending migrations and tells what they wait for. */
export async function run(): Promise<number> {
  const { url, close } = await openCommandDatabase(env());
  try {
    await migrateDatabase(url, { tell: say });
    say("database up to date");
    return (await migrateStoreIfAny(say)) ? 0 : 1;
  } finally {
    await close();
  }
}
