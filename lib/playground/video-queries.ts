import { and, eq } from "drizzle-orm";
import type { Dispatcher } from "undici";
import { tasks } from "@/db/schema";
import { ROLE, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import type { Locale } from "@/lib/i18n/locale";
import { VIDEO_WIRE } from "@/lib/row-status";
import { readCallingUser, requireSession } from "./calling-user-queries";

/** `range`: the request's header. `locale`: of what it is refused for. */
export type VideoInput = { id: number; range: string | null; locale: Locale; signal: AbortSignal };

/** The relay has its own time limits. */
const UNLIMITED = { headersTimeout: 0, bodyTimeout: 0 };

/**
 * The file of a video task, by the id of its row, as the relay streams it from the maker: one of the current user's own,
 * or anybody's for administrators. Throws unauthenticated, forbidden, not_found.
 */
export async function openVideo(ctx: ServiceContext, input: VideoInput): Promise<Dispatcher.ResponseData> {
  const actor = requireSession(ctx);
  const { taskId, userId, wire } = tasks;
  const own = actor.role >= ROLE.admin ? undefined : eq(userId, actor.id);
  const [task] = await ctx.db
    .select({ taskId, userId })
    .from(tasks)
    .where(and(eq(tasks.id, input.id), eq(wire, VIDEO_WIRE), own));
  if (!task) throw new AppError("not_found", "taskNotFound");
  const { relayHost } = await import("./relay-host");
  const [host, viewer] = await Promise.all([relayHost(), readCallingUser(ctx, actor.id)]);
  // The relay finds only the caller's own tasks.
  const pass = host.admit({ ...viewer, id: task.userId }, actor.group, ctx.clientIp);
  return host.files.request({
    ...UNLIMITED,
    method: "GET",
    path: `/v1/videos/${encodeURIComponent(task.taskId)}/content`,
    headers: { ...pass, "accept-language": input.locale, ...(input.range === null ? {} : { range: input.range }) },
    signal: input.signal,
  });
}
