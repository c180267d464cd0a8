import { randomUUID } from "node:crypto";
import { eq } from "drizzle-orm";
import type { Database } from "@/db/client";
import { usageLogs, users } from "@/db/schema";
import { nowSeconds } from "@/lib/clock";
import { hasLogStore } from "@/lib/env";
import { logToOutbox } from "@/lib/log-store/outbox-commands";
import type { LOG_TYPE } from "@/lib/row-status";

export type LogEvent = {
  userId: number;
  type: typeof LOG_TYPE.topup | typeof LOG_TYPE.manage | typeof LOG_TYPE.system;
  /** The event's key under "logEvent" in messages/*.json, for translation. */
  event: string;
  params?: Record<string, string | number>;
  /** The event as text, for clients that show `content` unchanged. */
  content: string;
  /** Change of the balance; 0 = none. */
  quota?: number;
};

/** Adds a log row that is not a request (contract §2.5, types 1, 3, 4). Call it in the transaction of the event. */
export async function writeLogEvent(tx: Database, event: LogEvent): Promise<void> {
  const { userId, type, content, quota = 0, params = {} } = event;
  const [user] = await tx.select({ username: users.username }).from(users).where(eq(users.id, userId));
  const requestId = `event:${randomUUID()}`;
  const createdAt = nowSeconds();
  const username = user?.username ?? "";
  const other = { event: event.event, params };
  if (hasLogStore()) {
    const row = {
      request_id: requestId,
      created_at: createdAt,
      type,
      user_id: userId,
      username,
      quota,
      content,
      other,
    };
    return logToOutbox(tx, row);
  }
  await tx.insert(usageLogs).values({ requestId, createdAt, type, userId, username, quota, content, other });
}
