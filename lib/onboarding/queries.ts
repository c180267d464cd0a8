import { and, eq, gt, ne, type SQL, sql } from "drizzle-orm";
import { channels, tokens, usageLogs } from "@/db/schema";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { CHANNEL_STATUS, LOG_TYPE } from "@/lib/row-status";
import type { OnboardingStep } from "./types";

const one = { one: sql<number>`1` };

/**
 * The steps until the first request; each is checked in the database, none is marked done by hand. For root they are
 * the steps of a new installation, for other users those of a new account.
 */
export async function checkOnboarding(ctx: ServiceContext): Promise<OnboardingStep[]> {
  const actor = requireRole(ctx, ROLE.user);
  const isRoot = actor.role >= ROLE.root;
  const [installation, token, request] = await Promise.all([
    isRoot ? checkChannels(ctx) : [],
    ctx.db.select(one).from(tokens).where(eq(tokens.userId, actor.id)).limit(1),
    findRequest(ctx, isRoot ? undefined : eq(usageLogs.userId, actor.id)),
  ]);
  return [...installation, { id: "token", done: token.length > 0 }, { id: "request", done: request.length > 0 }];
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

/** Excludes channel tests, which are marked; includes the playground's requests. */
function findRequest(ctx: ServiceContext, whose: SQL | undefined) {
  const isRequest = ne(sql`coalesce(${usageLogs.other}->>'model_test', '')`, "true");
  return ctx.db
    .select(one)
    .from(usageLogs)
    .where(and(whose, eq(usageLogs.type, LOG_TYPE.consume), isRequest))
    .limit(1);
}
