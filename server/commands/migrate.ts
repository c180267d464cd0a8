import { migrateDatabase } from "@/db/migrate";
import { env } from "@/lib/env";
import { prepareLogStore } from "@/lib/log-store/prepare";
import { openCommandDatabase } from "../command-database";
import { say } from "../terminal";

/** Applies pending migrations and tells what they wait for. */
export async function run(): Promise<number> {
  const { url, close } = await openCommandDatabase(env());
  try {
    await migrateDatabase(url, { tell: say });
    say("database up to date");
    await prepareLogStore(say);
    return 0;
  } finally {
    await close();
  }
}
