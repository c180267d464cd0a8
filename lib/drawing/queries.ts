import { and, desc, eq, gte, lte, sql } from "drizzle-orm";
import { tasks } from "@/db/schema";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { loadOptions } from "@/lib/option/queries";
import { offsetOf, type Page } from "@/lib/page";
import { parseInput } from "@/lib/validation";
import { type DrawingSearch, drawingSearchSchema } from "./schemas";
import type { Drawing } from "./types";

const drawingFields = {
  id: tasks.id,
  code: tasks.code,
  userId: tasks.userId,
  action: tasks.action,
  mjId: tasks.taskId,
  prompt: tasks.prompt,
  promptEn: tasks.promptEn,
  description: tasks.description,
  state: tasks.state,
  submitTime: tasks.submitTime,
  startTime: tasks.startTime,
  finishTime: tasks.finishTime,
  imageUrl: sql<string>`coalesce(${tasks.results} ->> 0, '')`,
  status: tasks.status,
  progress: tasks.progress,
  failReason: tasks.failReason,
  channelId: tasks.channelId,
  quota: tasks.quota,
};

/** Drawing tasks, newest first: the current user's own, or everybody's for administrators. */
export async function listDrawings(ctx: ServiceContext, input: DrawingSearch): Promise<Page<Drawing>> {
  const search = parseInput(drawingSearchSchema, input);
  const all = search.scope === "all";
  const actor = requireRole(ctx, all ? ROLE.admin : ROLE.user);
  const conditions = and(
    eq(tasks.platform, "mj"),
    all ? undefined : eq(tasks.userId, actor.id),
    search.mjId === "" ? undefined : eq(tasks.taskId, search.mjId),
    search.status === "" ? undefined : eq(tasks.status, search.status),
    search.action === "" ? undefined : eq(tasks.action, search.action),
    search.channelId === undefined || !all ? undefined : eq(tasks.channelId, search.channelId),
    search.from === undefined ? undefined : gte(tasks.submitTime, search.from),
    search.until === undefined ? undefined : lte(tasks.submitTime, search.until),
  );
  const [rows, total, options] = await Promise.all([
    ctx.db
      .select(drawingFields)
      .from(tasks)
      .where(conditions)
      .orderBy(desc(tasks.id))
      .limit(search.pageSize)
      .offset(offsetOf(search)),
    ctx.db.$count(tasks, conditions),
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
