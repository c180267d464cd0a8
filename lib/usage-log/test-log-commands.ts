import { randomUUID } from "node:crypto";
import { asc, gte } from "drizzle-orm";
import type { Database } from "@/db/client";
import { usageLogs, users } from "@/db/schema";
import type { BilledUsage } from "@/lib/billing/types";
import { nowSeconds } from "@/lib/clock";
import { ROLE } from "@/lib/context";
import { hasLogStore } from "@/lib/env";
import { logToOutbox } from "@/lib/log-store/outbox-commands";
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
  const row = {
    request_id: `test:${randomUUID()}`,
    created_at: nowSeconds(),
    type: LOG_TYPE.consume,
    user_id: root.id,
    username: root.username,
    token_name: TEST_TOKEN_NAME,
    channel_id: test.channelId,
    // The hourly sums have no tests, so that their rows must not count as requests of unknown cost.
    unknown_costs: 0,
    model_name: test.model,
    prompt_tokens: test.usage?.promptTokens ?? 0,
    completion_tokens: test.usage?.completionTokens ?? 0,
    use_time_ms: test.timeMs,
    first_token_ms: test.firstTokenMs,
    client_ip: test.clientIp,
    content: TEST_TOKEN_NAME,
    other: { model_test: true, admin_info: { use_channel: [String(test.channelId)] } },
  };
  if (hasLogStore()) return logToOutbox(db, row);
  await db.insert(usageLogs).values({
    requestId: row.request_id,
    createdAt: row.created_at,
    type: row.type,
    userId: row.user_id,
    username: row.username,
    tokenName: row.token_name,
    channelId: row.channel_id,
    unknownCosts: row.unknown_costs,
    modelName: row.model_name,
    promptTokens: row.prompt_tokens,
    completionTokens: row.completion_tokens,
    useTimeMs: row.use_time_ms,
    firstTokenMs: row.first_token_ms,
    clientIp: row.client_ip,
    content: row.content,
    other: row.other,
  });
}
