import { randomUUID } from "node:crypto";
import { and, eq, sql } from "drizzle-orm";
import { notificationTargets, rateCounters, users } from "@/db/schema";
import { nowSeconds } from "@/lib/clock";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { logger } from "@/lib/logger";
import { loadOptions } from "@/lib/option/queries";
import { parseInput } from "@/lib/validation";
import { languageOf } from "./deliver";
import { encodeFailure, toDeliveryError } from "./delivery-error";
import { testMessage } from "./message";
import { targetIdSchema } from "./schemas";
import { sendMessage } from "./senders/send-message";
import type { SendMail } from "./senders/sender";
import { openConfig } from "./target-config";
import { isTargetKind } from "./target-kinds";

const TESTS_MAX = 5;
const WINDOW_SECONDS = 300;

/**
 * Sends a test message to a target of the current user, enabled or not, and records the result. At most five in five
 * minutes. Throws AppError "upstream" with the receiver's reason when it was refused.
 */
export async function testTarget(ctx: ServiceContext, input: { id: number }, sendMail: SendMail): Promise<void> {
  const actor = requireRole(ctx, ROLE.user);
  const { id } = parseInput(targetIdSchema, input);
  const own = and(eq(notificationTargets.id, id), eq(notificationTargets.userId, actor.id));
  const [row] = await ctx.db
    .select({
      kind: notificationTargets.kind,
      configCipher: notificationTargets.configCipher,
      email: users.email,
      setting: sql<Record<string, unknown>>`${users.setting}`,
    })
    .from(notificationTargets)
    .innerJoin(users, eq(users.id, notificationTargets.userId))
    .where(own);
  if (!row || !isTargetKind(row.kind)) throw new AppError("not_found", "notifyTargetNotFound");
  await countTest(ctx, actor.id);
  const options = await loadOptions(ctx.db);
  const message = testMessage(`test-${randomUUID()}`, nowSeconds(), languageOf(row.setting, options), options);
  try {
    const context = { options, accountEmail: row.email ?? "", sendMail };
    await sendMessage(row.kind, openConfig(row.configCipher), message, context);
  } catch (thrown) {
    const failure = toDeliveryError(thrown);
    if (failure.messageKey === "internal") logger.error({ err: thrown, kind: row.kind }, "a test message failed");
    await ctx.db
      .update(notificationTargets)
      .set({ lastError: encodeFailure(failure) })
      .where(own);
    throw new AppError("upstream", failure.messageKey, failure.params, thrown);
  }
  await ctx.db.update(notificationTargets).set({ lastError: "", lastSentAt: nowSeconds() }).where(own);
}

/** The user chooses the receiver, so the number of test messages is limited. Throws AppError rate_limited. */
export async function countTest(ctx: ServiceContext, userId: number): Promise<void> {
  const now = sql`floor(extract(epoch from clock_timestamp()))::bigint`;
  const over = sql`${rateCounters.windowStart} <= ${now} - ${WINDOW_SECONDS}::bigint`;
  const [row] = await ctx.db
    .insert(rateCounters)
    .values({ key: `notify-test:${userId}`, count: 1, windowStart: now })
    .onConflictDoUpdate({
      target: rateCounters.key,
      set: {
        count: sql`case when ${over} then 1 else ${rateCounters.count} + 1 end`,
        windowStart: sql`case when ${over} then ${now} else ${rateCounters.windowStart} end`,
      },
    })
    .returning({ count: rateCounters.count });
  if ((row?.count ?? 0) > TESTS_MAX) {
    throw new AppError("rate_limited", "notifyTestsTooMany", { minutes: WINDOW_SECONDS / 60 });
  }
}
