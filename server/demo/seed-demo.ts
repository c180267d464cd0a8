import { eq, sql } from "drizzle-orm";
import { createDatabase, type Database } from "@/db/client";
import { channels, ledgerEntries, options, redemptions, tokens, users } from "@/db/schema";
import { postLedgerEntry } from "@/lib/billing/ledger";
import { hashPassword, randomAlphanumeric, seal, sha256Hex, unseal } from "@/lib/crypto";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { CHANNEL_STATUS, REDEMPTION_STATUS, TOKEN_STATUS, USER_STATUS } from "@/lib/row-status";
import { seedMedia } from "./seed-demo-media";
import { DEMO_COST_FACTOR, seedUsage } from "./seed-demo-usage";

export type DemoAccess = { usernames: string[]; apiKey: string; model: string };

const upstreamTag = "built-in";
const demoTokenName = "demo";
const demoModel = "gpt-4o-mini";
const unit = 500_000;
const upstreamModels = "gpt-4o-mini,gpt-4o,gpt-4.1-mini,gpt-4.1,o4-mini,deepseek-chat,claude-3-5-sonnet-20241022";

const people = [
  { username: "admin", displayName: "Ada (administrator)", role: 10, group: "default", status: USER_STATUS.enabled },
  { username: "alice", displayName: "Alice", role: 1, group: "default", status: USER_STATUS.enabled },
  { username: "bob", displayName: "Bob", role: 1, group: "vip", status: USER_STATUS.enabled },
  { username: "carol", displayName: "Carol", role: 1, group: "svip", status: USER_STATUS.enabled },
  { username: "dave", displayName: "Dave (banned)", role: 1, group: "default", status: USER_STATUS.disabled },
];

/**
 * Fills an empty database with sample data, in one transaction. A second call only updates the base URL of the built-in
 * channels, because the fake upstream has a new port. Balances match the ledger, so reconcile finds no differences.
 */
export async function seedDemo(url: string, upstreamUrl: string, password: string): Promise<DemoAccess> {
  const { db, end } = createDatabase({ url, max: 2, applicationName: "weir-seed" });
  try {
    await db.transaction(async (tx) => {
      const [seeded] = await tx
        .select({ id: channels.id })
        .from(channels)
        .where(eq(channels.tag, upstreamTag))
        .limit(1);
      if (!seeded) await seedAll(tx, password);
      await tx.update(channels).set({ baseUrl: upstreamUrl }).where(eq(channels.tag, upstreamTag));
    });
    const [token] = await db.select({ cipher: tokens.keyCipher }).from(tokens).where(eq(tokens.name, demoTokenName));
    if (!token) throw new Error("the demo's API key is gone; delete .data/demo and start again");
    return {
      usernames: people.filter((person) => person.status === USER_STATUS.enabled).map((person) => person.username),
      apiKey: `sk-${unseal(token.cipher)}`,
      model: demoModel,
    };
  } finally {
    await end();
  }
}

async function seedAll(tx: Database, password: string): Promise<void> {
  await seedOptions(tx);
  const channelIds = await seedChannels(tx);
  const [root] = await tx.select({ id: users.id }).from(users).where(eq(users.role, 100)).limit(1);
  const rootId = root?.id ?? 1;
  const passwordHash = await hashPassword(password);
  for (const person of people) {
    const [user] = await tx
      .insert(users)
      .values({ ...person, email: `${person.username}@example.com`, passwordHash, affCode: randomAlphanumeric(4) })
      .returning({ id: users.id });
    if (!user) throw new Error(`could not create ${person.username}`);
    await grant(tx, user.id, rootId);
    await seedTokens(tx, user.id, person.username);
  }
  await seedTokens(tx, rootId, "root");
  await seedRedemptions(tx, rootId);
  await seedUsage(tx, channelIds);
  await seedMedia(tx, channelIds[0] ?? 1);
  await backdateLedger(tx);
}

/** Moves credits to before the month in which they are spent. */
async function backdateLedger(tx: Database): Promise<void> {
  const before = (days: number) => ({ createdAt: sql`${ledgerEntries.createdAt} - ${days * 86_400}::bigint` });
  // The table takes no changes otherwise; nothing but the demo is in this database.
  await tx.execute(sql`alter table ledger_entries disable trigger ledger_entries_append_only`);
  await tx.update(ledgerEntries).set(before(31)).where(eq(ledgerEntries.kind, "grant"));
  await tx.update(ledgerEntries).set(before(5)).where(eq(ledgerEntries.kind, "redemption"));
  await tx.execute(sql`alter table ledger_entries enable trigger ledger_entries_append_only`);
}

function grant(tx: Database, userId: number, rootId: number) {
  return postLedgerEntry(tx, {
    userId,
    amount: 40 * unit,
    kind: "grant",
    reference: `user:${userId}:initial`,
    actorId: rootId,
    note: "sample data",
  });
}

async function seedOptions(tx: Database): Promise<void> {
  const values = {
    GroupRatio: { default: 1, vip: 0.8, svip: 0.5 },
    UserUsableGroups: { default: "Default", vip: "VIP" },
  };
  const rows = [
    ...Object.entries(values).map(([key, value]) => ({ key, value: JSON.stringify(value) })),
    // The prices of the demo are in dollars.
    { key: "CurrencySymbol", value: "$" },
  ];
  await tx.insert(options).values(rows).onConflictDoNothing();
}

async function seedChannels(tx: Database): Promise<number[]> {
  const key = (text: string) => ({ keyCipher: seal(text), keyFingerprint: sha256Hex(text).slice(0, 16) });
  const everyGroup = "default,vip,svip";
  const now = Math.floor(Date.now() / 1000);
  const costs = JSON.stringify({ cost_factor: DEMO_COST_FACTOR });
  const rows = await tx
    .insert(channels)
    .values([
      {
        name: "Built-in upstream",
        models: upstreamModels,
        group: everyGroup,
        tag: upstreamTag,
        priority: 10,
        weight: 10,
        responseTime: 212,
        testTime: now - 3_600,
        setting: costs,
        ...key("sk-built-in-1"),
      },
      {
        name: "Built-in upstream, VIP",
        models: upstreamModels,
        group: "vip,svip",
        tag: upstreamTag,
        priority: 10,
        weight: 5,
        responseTime: 187,
        testTime: now - 3_600,
        setting: costs,
        ...key("sk-built-in-2"),
      },
      {
        name: "OpenAI (enter your key)",
        models: "gpt-4o-mini,gpt-4o,gpt-4.1,gpt-4.1-mini,o4-mini",
        group: everyGroup,
        status: CHANNEL_STATUS.disabled,
        ...key("sk-your-key"),
      },
      {
        name: "DeepSeek (enter your key)",
        type: CHANNEL_TYPE.deepseek,
        models: "deepseek-chat,deepseek-reasoner",
        group: everyGroup,
        status: CHANNEL_STATUS.disabled,
        ...key("sk-your-key-2"),
      },
      {
        name: "Spare with a withdrawn key",
        models: "gpt-4o-mini",
        status: CHANNEL_STATUS.autoDisabled,
        otherInfo: { status_reason: "401 invalid_api_key: Incorrect API key provided", status_time: now - 7_200 },
        ...key("sk-withdrawn"),
      },
    ])
    .returning({ id: channels.id, tag: channels.tag });
  return rows.filter((row) => row.tag === upstreamTag).map((row) => row.id);
}

async function seedTokens(tx: Database, userId: number, username: string): Promise<void> {
  const now = Math.floor(Date.now() / 1000);
  const make = (name: string, extra: Partial<typeof tokens.$inferInsert> = {}) => {
    const key = randomAlphanumeric(48);
    return {
      userId,
      name,
      keyHash: sha256Hex(key),
      keyCipher: seal(key),
      keyHint: `${key.slice(0, 4)}…${key.slice(-4)}`,
      createdTime: now - 31 * 86_400,
      unlimitedQuota: true,
      ...extra,
    };
  };
  const rows = [
    make(username === "alice" ? demoTokenName : "default"),
    make("backend", { unlimitedQuota: false, remainQuota: 20 * unit }),
  ];
  if (username === "alice") {
    rows.push(
      make("mini only", { modelLimitsEnabled: true, modelLimits: "gpt-4o-mini,gpt-4.1-mini" }),
      make("last month", { expiredTime: now - 86_400, status: TOKEN_STATUS.expired }),
    );
  }
  await tx.insert(tokens).values(rows);
}

async function seedRedemptions(tx: Database, rootId: number): Promise<void> {
  const codes = Array.from({ length: 8 }, (_, index) => ({
    userId: rootId,
    name: index < 5 ? "Welcome" : "Conference",
    key: sha256Hex(randomAlphanumeric(32)).slice(0, 32),
    quota: (index < 5 ? 5 : 20) * unit,
    status: index === 4 ? REDEMPTION_STATUS.disabled : REDEMPTION_STATUS.unused,
  }));
  await tx.insert(redemptions).values(codes);
  // One used code, with a ledger entry like that of a real redemption.
  const [bob] = await tx.select({ id: users.id }).from(users).where(sql`username = 'bob'`);
  if (!bob) return;
  const [used] = await tx
    .insert(redemptions)
    .values({
      userId: rootId,
      name: "Welcome",
      key: sha256Hex(randomAlphanumeric(32)).slice(0, 32),
      quota: 5 * unit,
      status: REDEMPTION_STATUS.used,
      usedUserId: bob.id,
      redeemedTime: Math.floor(Date.now() / 1000) - 5 * 86_400,
    })
    .returning({ id: redemptions.id });
  await postLedgerEntry(tx, {
    userId: bob.id,
    amount: 5 * unit,
    kind: "redemption",
    reference: `redemption:${used?.id}`,
    actorId: bob.id,
    note: "Welcome",
  });
}
