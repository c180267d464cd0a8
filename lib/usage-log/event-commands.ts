import { randomUUID } from "node:crypto";
import { eq } from "drizzle-orm";
import type { Database } from "@/db/client";
import { usageLogs, users } from "@/db/schema";
import { nowSeconds } from "@/lib/clock";
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
  await tx.insert(usageLogs).values({
    requestId: `event:${randomUUID()}`,
    createdAt: nowSeconds(),
    type,
    userId,
    username: user?.username ?? "",
    quota,
    content,
    other: { event: event.event, params },
  });
}
