import { and, eq, gt, ne, type SQL, type Subquery, sql } from "drizzle-orm";
import type { Database } from "@/db/client";
import { channels, tokens, usageLogs } from "@/db/schema";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { namedHere, readBothWith } from "@/lib/log-store/both-queries";
import { toClickHouse } from "@/lib/log-store/clickhouse/condition";
import { readAvailable } from "@/lib/log-store/read-available";
import { logStore, type ReadableStore } from "@/lib/log-store/store";
import { loadOptions } from "@/lib/option/queries";
import { CHANNEL_STATUS, LOG_TYPE } from "@/lib/row-status";

/** Steps of a new installation (channel, test, address) and of a new account (token, request). */
export type OnboardingStep = { id: "channel" | "test" | "token" | "request" | "address"; done: boolean };

const one = { one: sql<number>`1` };

/**
 * The steps until the first request; each is checked in the database, none is marked done by hand. For root they are
 * the steps of a new installation, for other users those of a new account.
 */
export async function checkOnboarding(ctx: ServiceContext): Promise<OnboardingStep[]> {
  const actor = requireRole(ctx, ROLE.user);
  const isRoot = actor.role >= ROLE.root;
  const [installation, token, request, address] = await Promise.all([
    isRoot ? checkChannels(ctx) : [],
    ctx.db.select(one).from(tokens).where(eq(tokens.userId, actor.id)).limit(1),
    hasRequest(ctx, isRoot ? undefined : eq(usageLogs.userId, actor.id)),
    isRoot ? checkAddress(ctx) : [],
  ]);
  return [...installation, { id: "token", done: token.length > 0 }, { id: "request", done: request }, ...address];
}

async function checkChannels(ctx: ServiceContext): Promise<OnboardingStep[]> {
  const [channel, tested] = await Promise.all([
    ctx.db.select(one).from(channels).limit(1),
    ctx.db
      .select(one)
      .from(channels)
      .where(and(eq(channels.status, CHANNEL_STATUS.enabled), gt(channels.testTime, 0), gt(channels.responseTime, 0)))
      .limit(1),
  ]);
  return [
    { id: "channel", done: channel.length > 0 },
    { id: "test", done: tested.length > 0 },
  ];
}

async function checkAddress(ctx: ServiceContext): Promise<OnboardingStep[]> {
  const { ServerAddress } = await loadOptions(ctx.db);
  return [{ id: "address", done: ServerAddress !== "" }];
}

/** Excludes channel tests, which are marked; includes the playground's requests. */
async function hasRequest(ctx: ServiceContext, whose: SQL | undefined): Promise<boolean> {
  const store = logStore();
  if (store === null) return (await selectRequest(ctx.db, usageLogs, whose)).length > 0;
  const { result, missing } = await readAvailable(() => findInBoth(ctx, store, whose));
  // Nobody is told to make a first request only because it cannot be looked up now.
  return result.length > 0 || missing !== null;
}

function selectRequest(db: Database, logs: typeof usageLogs | Subquery, whose: SQL | undefined) {
  const isRequest = ne(sql`coalesce(${usageLogs.other}->>'model_test', '')`, "true");
  return db
    .select(one)
    .from(logs as typeof usageLogs)
    .where(and(whose, eq(usageLogs.type, LOG_TYPE.consume), isRequest))
    .limit(1);
}

function findInBoth(ctx: ServiceContext, store: ReadableStore, whose: SQL | undefined): Promise<object[]> {
  return readBothWith(store, ctx.db, async (parts) => {
    const here = await selectRequest(parts.connection, namedHere(parts), whose);
    if (here.length > 0) return here;
    const condition = toClickHouse(and(whose, eq(usageLogs.type, LOG_TYPE.consume)));
    return parts.stored.query<object>(`select 1 from ${parts.stored.rows} and ${condition} and is_test = 0 limit 1`);
  });
}
