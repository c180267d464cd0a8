import { and, eq, gt, gte, lte } from "drizzle-orm";
import { usageLogs } from "@/db/schema";
import { nowSeconds } from "@/lib/clock";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { readAvailable } from "@/lib/log-store/read-available";
import { logStoreUnreadable } from "@/lib/log-store/trouble";
import type { FoundRequest } from "./failure-types";
import { IS_FAILURE, listLogs } from "./queries";
import { findRequestId, momentOf } from "./request-id";
import { OWN_LOG_SECONDS } from "./schemas";
import { logSource } from "./source";

/** Refusals beyond the rate have a row at most so much later. */
const COUNTED_WITHIN_SECONDS = 60;
/** A request may run so long before it is booked. */
const RUNNING_SECONDS = 600;

/**
 * What is known of the request whose id is in a text: for ordinary users of their own ones alone. The id of somebody else's
 * request is answered like one of no request.
 */
export async function findRequest(ctx: ServiceContext, text: string): Promise<FoundRequest> {
  const actor = requireRole(ctx, ROLE.user);
  const requestId = findRequestId(text);
  if (!requestId) return { kind: "noId" };
  const { result, missing } = await readAvailable(() => listLogs(ctx, { requestId, pageSize: 1 }));
  if (result.items.length > 0) return { kind: "found", requestId };
  if (missing) throw logStoreUnreadable();
  const now = nowSeconds();
  const at = momentOf(requestId, now);
  if (at === null) return { kind: "foreign" };
  if (actor.role < ROLE.admin && at < now - OWN_LOG_SECONDS) return { kind: "hidden", at };
  const row = await logSource(ctx).oldest({
    where: and(
      eq(usageLogs.userId, actor.id),
      gte(usageLogs.createdAt, at),
      lte(usageLogs.createdAt, at + COUNTED_WITHIN_SECONDS),
      gt(usageLogs.repeats, 0),
      IS_FAILURE,
    ),
    isShown: true,
    from: at,
    until: at + COUNTED_WITHIN_SECONDS,
  });
  if (row) return { kind: "counted", at, ...row };
  return { kind: at > now - RUNNING_SECONDS ? "running" : "absent", at };
}
