import { and, asc, gt, inArray } from "drizzle-orm";
import { channels } from "@/db/schema";
import { writeAudit } from "@/lib/audit/commands";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { type ExportFile, streamRows } from "@/lib/export/stream-rows";
import type { ExportWords } from "@/lib/export/words";
import { type ExportField, type ExportFormat, rowWriter, toMoment } from "@/lib/export/write-rows";
import { parseInput } from "@/lib/validation";
import { type BulkTarget, bulkTargetSchema } from "./bulk-schemas";
import { channelFields, filterChannels } from "./queries";
import type { Channel } from "./types";

const BATCH = 500;

/** Without the key: exports reach more people than the console does. */
const FIELDS: readonly ExportField<Channel>[] = [
  { name: "id", read: (channel) => channel.id },
  { name: "name", read: (channel) => channel.name },
  { name: "type", read: (channel) => channel.type },
  { name: "status", read: (channel) => channel.status },
  { name: "tag", read: (channel) => channel.tag },
  { name: "group", read: (channel) => channel.group },
  { name: "models", read: (channel) => channel.models },
  { name: "base_url", read: (channel) => channel.baseUrl },
  { name: "priority", read: (channel) => channel.priority },
  { name: "weight", read: (channel) => channel.weight },
  { name: "requests_per_minute", read: (channel) => channel.requestsPerMinute },
  { name: "tokens_per_minute", read: (channel) => channel.tokensPerMinute },
  { name: "concurrency_limit", read: (channel) => channel.concurrencyLimit },
  { name: "auto_ban", read: (channel) => channel.autoBan },
  { name: "test_model", read: (channel) => channel.testModel },
  { name: "model_mapping", read: (channel) => channel.modelMapping },
  { name: "status_code_mapping", read: (channel) => channel.statusCodeMapping },
  { name: "balance", label: "upstream_balance", read: (channel) => channel.balance },
  { name: "used_quota", isQuota: true, read: (channel) => channel.usedQuota },
  { name: "response_time_ms", read: (channel) => channel.responseTime },
  { name: "test_time", read: (channel) => toMoment(channel.testTime) },
  { name: "created_time", read: (channel) => toMoment(channel.createdTime) },
  { name: "status_reason", read: (channel) => channel.otherInfo.status_reason ?? "" },
];

/**
 * Streams the selected channels in id order, without keys (administrators). The export is recorded in the audit log.
 * Throws invalid for an empty selection.
 */
export async function exportChannels(
  ctx: ServiceContext,
  input: BulkTarget,
  format: ExportFormat,
  words: ExportWords | null = null,
): Promise<ExportFile> {
  requireRole(ctx, ROLE.admin);
  const target = parseInput(bulkTargetSchema, input);
  const file = await streamRows(readChannels(ctx, target), rowWriter(format, FIELDS, words));
  await ctx.db.transaction((tx) =>
    writeAudit(tx, ctx, { action: "channel.export", subject: "channel", after: { format, ...target } }),
  );
  return file;
}

async function* readChannels(
  ctx: ServiceContext,
  target: (typeof bulkTargetSchema)["_output"],
): AsyncGenerator<Channel[], void> {
  const meant = "ids" in target ? inArray(channels.id, target.ids) : filterChannels(target.filter);
  for (let last = 0; ; ) {
    const rows: Channel[] = await ctx.db
      .select(channelFields)
      .from(channels)
      .where(and(meant, gt(channels.id, last)))
      .orderBy(asc(channels.id))
      .limit(BATCH);
    if (rows.length > 0) yield rows;
    last = rows.at(-1)?.id ?? last;
    if (rows.length < BATCH) return;
  }
}
