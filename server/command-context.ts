import { resolve } from "node:path";
import { createDatabase } from "@/db/client";
import type { ServiceContext } from "@/lib/context";
import { env } from "@/lib/env";
import { AppError } from "@/lib/errors";
import { englishText } from "@/lib/i18n/english-text";
import { openCommandDatabase } from "./command-database";
import { settleSecret } from "./installation-secret";

/** Runs `work` for the command line on this installation's database, which is started for it if no Weir runs. */
export async function withCommandContext<Result>(
  applicationName: string,
  work: (ctx: ServiceContext) => Promise<Result>,
): Promise<Result> {
  const settings = env();
  const { url, close } = await openCommandDatabase(settings);
  const { db, sql, end } = createDatabase({ url, max: 2, applicationName });
  try {
    process.env.WEIR_SECRET = await settleSecret(url, resolve(settings.WEIR_DATA_DIR), settings.WEIR_SECRET);
    return await work({ db, sql, actor: { type: "command-line" }, clientIp: "" });
  } catch (error) {
    throw error instanceof AppError ? new Error(englishText(error), { cause: error }) : error;
  } finally {
    await end();
    await close();
  }
}
