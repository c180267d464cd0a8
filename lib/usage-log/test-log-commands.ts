import { randomUUID } from "node:crypto";
import { asc, gte } from "drizzle-orm";
import type { Database } from "@/db/client";
import { usageLogs, users } from "@/db/schema";
import type { BilledUsage } from "@/lib/billing/types";
import { nowSeconds } from "@/lib/clock";
import { ROLE } from "@/lib/context";
import { LOG_TYPE } from "@/lib/row-status";

/** The token name in the row of a channel test. */
const TEST_TOKEN_NAME = "model test";

export type TestLog = {
  channelId: number;
  model: string;
  usage: BilledUsage | null;
  timeMs: number;
  firstTokenMs: number | null;
  clientIp: string;
};

/** Records a successful channel test in the usage log, under the first root user (contract §4.10). It costs nothing. */
export async function writeTestLog(db: Database, test: TestLog): Promise<void> {
  const [root] = await db
    .select({ id: users.id, username: users.username })
    .from(users)
    .where(gte(users.role, ROLE.root))
    .orderBy(asc(users.id))
    .limit(1);
  if (!root) return;
  await db.insert(usageLogs).values({
    requestId: `test:${randomUUID()}`,
    createdAt: nowSeconds(),
    type: LOG_TYPE.consume,
    userId: root.id,
    username: root.username,
    tokenName: TEST_TOKEN_NAME,
    channelId: test.channelId,
    // The hourly sums have no tests, so that their rows must not count as requests of unknown cost.
    unknownCosts: 0,
    modelName: test.model,
    promptTokens: test.usage?.promptTokens ?? 0,
    completionTokens: test.usage?.completionTokens ?? 0,
    useTimeMs: test.timeMs,
    firstTokenMs: test.firstTokenMs,
    clientIp: test.clientIp,
    content: TEST_TOKEN_NAME,
    other: { model_test: true, admin_info: { use_channel: [String(test.channelId)] } },
  });
}
