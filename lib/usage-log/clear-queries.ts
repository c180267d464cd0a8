import { lt } from "drizzle-orm";
import { usageLogs } from "@/db/schema";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { logSource } from "./source";

/** Counting further would only take time; an exact number of millions helps nobody. */
const COUNT_MAX = 1_000_000;

/** The number of visible log rows before a time (unix seconds); `more` when counting stopped at COUNT_MAX. Throws invalid. */
export async function countLogsBefore(ctx: ServiceContext, until: number): Promise<{ count: number; more: boolean }> {
  requireRole(ctx, ROLE.admin);
  if (!Number.isSafeInteger(until) || until <= 0) throw new AppError("invalid", "logTargetMissing");
  const asked = { where: lt(usageLogs.createdAt, until), isShown: true, until: until - 1 };
  const count = await logSource(ctx).count(asked, COUNT_MAX + 1);
  return { count: Math.min(count, COUNT_MAX), more: count > COUNT_MAX };
}
