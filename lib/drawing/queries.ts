import { and, desc, eq, gte, lte } from "drizzle-orm";
import { midjourneys } from "@/db/schema";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { loadOptions } from "@/lib/option/queries";
import { offsetOf, type Page } from "@/lib/page";
import { parseInput } from "@/lib/validation";
import { type DrawingSearch, drawingSearchSchema } from "./schemas";
import type { Drawing } from "./types";

const drawingFields = {
  id: midjourneys.id,
  code: midjourneys.code,
  userId: midjourneys.userId,
  action: midjourneys.action,
  mjId: midjourneys.mjId,
  prompt: midjourneys.prompt,
  promptEn: midjourneys.promptEn,
  description: midjourneys.description,
  state: midjourneys.state,
  submitTime: midjourneys.submitTime,
  startTime: midjourneys.startTime,
  finishTime: midjourneys.finishTime,
  imageUrl: midjourneys.imageUrl,
  status: midjourneys.status,
  progress: midjourneys.progress,
  failReason: midjourneys.failReason,
  channelId: midjourneys.channelId,
  quota: midjourneys.quota,
};

/** Drawing tasks, newest first: the current user's own, or everybody's for administrators. */
export async function listDrawings(ctx: ServiceContext, input: DrawingSearch): Promise<Page<Drawing>> {
  const search = parseInput(drawingSearchSchema, input);
  const all = search.scope === "all";
  const actor = requireRole(ctx, all ? ROLE.admin : ROLE.user);
  const conditions = and(
    all ? undefined : eq(midjourneys.userId, actor.id),
    search.mjId === "" ? undefined : eq(midjourneys.mjId, search.mjId),
    search.status === "" ? undefined : eq(midjourneys.status, search.status),
    search.action === "" ? undefined : eq(midjourneys.action, search.action),
    search.channelId === undefined || !all ? undefined : eq(midjourneys.channelId, search.channelId),
    search.from === undefined ? undefined : gte(midjourneys.submitTime, search.from),
    search.until === undefined ? undefined : lte(midjourneys.submitTime, search.until),
  );
  const [rows, total, options] = await Promise.all([
    ctx.db
      .select(drawingFields)
      .from(midjourneys)
      .where(conditions)
      .orderBy(desc(midjourneys.id))
      .limit(search.pageSize)
      .offset(offsetOf(search)),
    ctx.db.$count(midjourneys, conditions),
    loadOptions(ctx.db),
  ]);
  const { MjForwardUrlEnabled: isForwarded, ServerAddress } = options;
  const items = rows.map((row) => ({
    ...row,
    channelId: all ? row.channelId : 0,
    // A data URL contains the picture itself, so there is no host to hide.
    imageUrl:
      isForwarded && row.imageUrl !== "" && !row.imageUrl.startsWith("data:")
        ? `${ServerAddress}/mj/image/${row.mjId}`
        : row.imageUrl,
  }));
  return { items, total, page: search.page, pageSize: search.pageSize };
}
