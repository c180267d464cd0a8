import { and, asc, gt } from "drizzle-orm";
import { users } from "@/db/schema";
import { writeAudit } from "@/lib/audit/commands";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { type ExportFile, streamRows } from "@/lib/export/stream-rows";
import type { ExportWords } from "@/lib/export/words";
import { type ExportField, type ExportFormat, rowWriter, toMoment } from "@/lib/export/write-rows";
import { fromReplica } from "@/lib/replica/from-replica";
import { parseInput } from "@/lib/validation";
import { asSeenBy, matchingUsers, userFields } from "./queries";
import { type UserSearch, userSearchSchema } from "./schemas";
import type { User } from "./types";

const BATCH = 1_000;

const FIELDS: readonly ExportField<User>[] = [
  { name: "id", read: (user) => user.id },
  { name: "username", read: (user) => user.username },
  { name: "display_name", read: (user) => user.displayName },
  { name: "email", read: (user) => user.email ?? "" },
  { name: "group", read: (user) => user.group },
  { name: "role", read: (user) => user.role },
  { name: "status", read: (user) => user.status },
  { name: "quota", label: "balance", isQuota: true, read: (user) => user.quota },
  { name: "used_quota", isQuota: true, read: (user) => user.usedQuota },
  { name: "request_count", read: (user) => user.requestCount },
  { name: "concurrency_limit", read: (user) => user.concurrencyLimit },
  { name: "requests_per_minute", read: (user) => user.requestsPerMinute },
  { name: "tokens_per_minute", read: (user) => user.tokensPerMinute },
  { name: "budget_day", isQuota: true, read: (user) => user.budgetDay },
  { name: "budget_week", isQuota: true, read: (user) => user.budgetWeek },
  { name: "budget_month", isQuota: true, read: (user) => user.budgetMonth },
  { name: "aff_count", read: (user) => user.affCount },
  { name: "aff_quota", isQuota: true, read: (user) => user.affQuota },
  { name: "aff_history_quota", isQuota: true, read: (user) => user.affHistoryQuota },
  { name: "inviter_id", read: (user) => user.inviterId },
  { name: "created_at", read: (user) => toMoment(user.createdAt) },
  { name: "deleted_at", read: (user) => user.deletedAt?.toISOString() ?? "" },
];

/**
 * Streams all matching accounts in id order (administrators). The export is recorded in the audit log. Fields that
 * listUsers hides are empty here too. Ignores the search's paging and order.
 */
export async function exportUsers(
  ctx: ServiceContext,
  input: UserSearch,
  format: ExportFormat,
  words: ExportWords | null = null,
): Promise<ExportFile> {
  requireRole(ctx, ROLE.admin);
  const { keyword, group, role, status } = parseInput(userSearchSchema, input);
  const file = await streamRows(readUsers(ctx, input), rowWriter(format, FIELDS, words));
  await ctx.db.transaction((tx) =>
    writeAudit(tx, ctx, { action: "user.export", subject: "user", after: { format, keyword, group, role, status } }),
  );
  return file;
}

async function* readUsers(ctx: ServiceContext, input: UserSearch): AsyncGenerator<User[], void> {
  const actor = requireRole(ctx, ROLE.admin);
  const matching = matchingUsers(parseInput(userSearchSchema, input), actor);
  for (let last = 0; ; ) {
    const after = and(matching, gt(users.id, last));
    const rows: User[] = await fromReplica(ctx, ({ db }) =>
      db.select(userFields).from(users).where(after).orderBy(asc(users.id)).limit(BATCH),
    );
    if (rows.length > 0) yield rows.map((row) => asSeenBy(actor, row));
    last = rows.at(-1)?.id ?? last;
    if (rows.length < BATCH) return;
  }
}
