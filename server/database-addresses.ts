import { createDatabase, type DatabaseSettings } from "@/db/client";
import { readDatabaseId } from "@/lib/billing/journal-queries";
import type { Env } from "@/lib/env";
import { assertDatabaseAnswers } from "./database-answers";

type Addresses = Pick<Env, "DATABASE_URL" | "DATABASE_DIRECT_URL">;

/** Throws an error in words unless both addresses answer, lead to one database, and the direct one past any pooler. */
export async function assertDatabaseAddresses({
  DATABASE_URL: url,
  DATABASE_DIRECT_URL: directUrl,
}: Addresses): Promise<void> {
  if (url === undefined) {
    if (directUrl === undefined) return;
    throw new Error("DATABASE_DIRECT_URL is set, but DATABASE_URL is not. Without a pooler set DATABASE_URL only.");
  }
  await assertDatabaseAnswers(url, "DATABASE_URL", { isPooled: directUrl !== undefined });
  if (directUrl === undefined) return;
  await assertDatabaseAnswers(directUrl, "DATABASE_DIRECT_URL");
  const [pooled, direct] = await Promise.all([idOf({ url, directUrl }), idOf({ url: directUrl })]);
  if (pooled === direct) return;
  throw new Error("DATABASE_URL and DATABASE_DIRECT_URL lead to different databases. They must lead to the same one.");
}

async function idOf(address: Pick<DatabaseSettings, "url" | "directUrl">): Promise<string> {
  const { sql, end } = createDatabase({ ...address, max: 1, applicationName: "weir-check" });
  try {
    return await readDatabaseId(sql);
  } finally {
    await end();
  }
}
