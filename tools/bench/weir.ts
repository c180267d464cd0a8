import { randomBytes } from "node:crypto";
import { createDatabase } from "@/db/client";
import { migrateDatabase } from "@/db/migrate";
import { channels, ledgerEntries, options, tokens, users } from "@/db/schema";
import { randomAlphanumeric, seal, sha256Hex } from "@/lib/crypto";

/** 100,000 USD: more than any run can use up, so every round measures successful requests. */
const BALANCE = 50_000_000_000;

/**
 * Fills an empty database for one API key: a user with a balance (posted to the ledger, so that reconcile finds no
 * differences), a token, a channel to `upstreamUrl` (null = none) and a price. Returns the key with its sk- prefix.
 */
export async function prepareDatabase(
  url: string,
  upstreamUrl: string | null,
  models = "bench-model",
): Promise<string> {
  await migrateDatabase(url);
  const { db, end } = createDatabase({ url, max: 2, applicationName: "weir-bench" });
  const key = randomAlphanumeric(48);
  await db.transaction(async (tx) => {
    const [user] = await tx.insert(users).values({ username: "bench", quota: BALANCE }).returning({ id: users.id });
    if (!user) throw new Error("the user was not created");
    const reference = `bench:${randomBytes(8).toString("hex")}`;
    await tx.insert(ledgerEntries).values({ userId: user.id, amount: BALANCE, kind: "grant", reference });
    await tx.insert(tokens).values({
      userId: user.id,
      name: "bench",
      keyHash: sha256Hex(key),
      keyCipher: seal(key),
      keyHint: `${key.slice(0, 4)}…${key.slice(-4)}`,
      unlimitedQuota: true,
    });
    if (upstreamUrl !== null)
      await tx.insert(channels).values({ name: "bench", keyCipher: seal("bench"), baseUrl: upstreamUrl, models });
    await tx.insert(options).values([
      { key: "ModelRatio", value: JSON.stringify(ratios(models, 1)) },
      { key: "CompletionRatio", value: JSON.stringify(ratios(models, 3)) },
    ]);
  });
  await end();
  return `sk-${key}`;
}

function ratios(models: string, ratio: number): Record<string, number> {
  return Object.fromEntries(models.split(",").map((model) => [model, ratio]));
}
