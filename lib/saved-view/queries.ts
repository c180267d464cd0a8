import { and, asc, eq } from "drizzle-orm";
import { savedViews } from "@/db/schema";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import type { SavedView, ViewPage } from "./types";

/** The current user's views of a list, by name. */
export async function listViews(ctx: ServiceContext, page: ViewPage): Promise<SavedView[]> {
  const actor = requireRole(ctx, ROLE.user);
  return ctx.db
    .select({
      id: savedViews.id,
      name: savedViews.name,
      query: savedViews.query,
      columns: savedViews.columns,
      isDefault: savedViews.isDefault,
    })
    .from(savedViews)
    .where(and(eq(savedViews.userId, actor.id), eq(savedViews.page, page)))
    .orderBy(asc(savedViews.name));
}
