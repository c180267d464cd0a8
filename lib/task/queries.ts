import { type AnyColumn, and, desc, eq, gte, lt, ne, sql } from "drizzle-orm";
import { tasks } from "@/db/schema";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { offsetOf, type Page } from "@/lib/page";
import { VIDEO_WIRE } from "@/lib/row-status";
import { parseInput } from "@/lib/validation";
import { type TaskSearch, taskSearchSchema } from "./schemas";
import type { Task } from "./types";

/** Drawings have a list of their own. */
const DRAWINGS = "mj";

function inSeconds(column: AnyColumn) {
  return sql<number>`${column} / 1000`.mapWith(Number);
}

const taskFields = {
  id: tasks.id,
  createdAt: tasks.createdAt,
  updatedAt: tasks.updatedAt,
  taskId: tasks.taskId,
  platform: tasks.platform,
  userId: tasks.userId,
  channelId: tasks.channelId,
  quota: tasks.quota,
  action: tasks.action,
  status: tasks.status,
  failReason: tasks.failReason,
  submitTime: inSeconds(tasks.submitTime),
  startTime: inSeconds(tasks.startTime),
  finishTime: inSeconds(tasks.finishTime),
  progress: tasks.progress,
  results: sql<string[]>`${tasks.results}`,
  data: tasks.data,
  hasVideo: sql<boolean>`${tasks.wire} = ${VIDEO_WIRE} and ${tasks.status} = 'SUCCESS'`,
};

/** Asynchronous tasks, newest first: the current user's own, or everybody's for administrators. */
export async function listTasks(ctx: ServiceContext, input: TaskSearch): Promise<Page<Task>> {
  const search = parseInput(taskSearchSchema, input);
  const all = search.scope === "all";
  const actor = requireRole(ctx, all ? ROLE.admin : ROLE.user);
  const conditions = and(
    ne(tasks.platform, DRAWINGS),
    all ? undefined : eq(tasks.userId, actor.id),
    search.platform === "" ? undefined : eq(tasks.platform, search.platform),
    search.taskId === "" ? undefined : eq(tasks.taskId, search.taskId),
    search.status === "" ? undefined : eq(tasks.status, search.status),
    search.action === "" ? undefined : eq(tasks.action, search.action),
    search.channelId === undefined || !all ? undefined : eq(tasks.channelId, search.channelId),
    search.from === undefined ? undefined : gte(tasks.submitTime, search.from * 1_000),
    search.until === undefined ? undefined : lt(tasks.submitTime, (search.until + 1) * 1_000),
  );
  const [rows, total] = await Promise.all([
    ctx.db
      .select(taskFields)
      .from(tasks)
      .where(conditions)
      .orderBy(desc(tasks.id))
      .limit(search.pageSize)
      .offset(offsetOf(search)),
    ctx.db.$count(tasks, conditions),
  ]);
  const items = all ? rows : rows.map((row) => ({ ...row, channelId: 0 }));
  return { items, total, page: search.page, pageSize: search.pageSize };
}
