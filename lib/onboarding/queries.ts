import { and, eq, gt, ne, sql } from "drizzle-orm";
import { channels, tokens, usageLogs } from "@/db/schema";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import type { OnboardingStep } from "./types";

/** What a new installation needs until the first request is through; each step is found out, none is ticked off by hand. */
export async function checkOnboarding(ctx: ServiceContext): Promise<OnboardingStep[]> {
  const actor = requireRole(ctx, ROLE.root);
  const one = { one: sql<number>`1` };
  const [channel, tested, token, request] = await Promise.all([
    ctx.db.select(one).from(channels).limit(1),
    ctx.db
      .select(one)
      .from(channels)
      .where(and(eq(channels.status, 1), gt(channels.testTime, 0), gt(channels.responseTime, 0)))
      .limit(1),
    ctx.db.select(one).from(tokens).where(eq(tokens.userId, actor.id)).limit(1),
    // A channel test has no token and its own mark; the playground's requests count.
    ctx.db
      .select(one)
      .from(usageLogs)
      .where(and(eq(usageLogs.type, 2), ne(sql`coalesce(${usageLogs.other}->>'model_test', '')`, "true")))
      .limit(1),
  ]);
  return [
    { id: "channel", done: channel.length > 0 },
    { id: "test", done: tested.length > 0 },
    { id: "token", done: token.length > 0 },
    { id: "request", done: request.length > 0 },
  ];
}
