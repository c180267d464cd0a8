import { and, eq, sql } from "drizzle-orm";
import { savedViews } from "@/db/schema";
import { isUniqueViolation } from "@/db/sql-state";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { refuseChanged } from "@/lib/seen";
import { parseInput } from "@/lib/validation";
import {
  type DefaultView,
  defaultViewSchema,
  type RenameView,
  renameViewSchema,
  type SaveView,
  saveViewSchema,
  VIEWS_MAX,
} from "./schemas";

/** Saves filters, sort and columns under a name. Throws conflict for a name that is taken, invalid when there are already VIEWS_MAX. */
export async function saveView(ctx: ServiceContext, input: SaveView): Promise<{ id: number }> {
  const actor = requireRole(ctx, ROLE.user);
  const { page, name, query, columns } = parseInput(saveViewSchema, input);
  return refuseTakenName(() =>
    ctx.db.transaction(async (tx) => {
      // Serializes saves of a user; two parallel ones could exceed the limit.
      await tx.execute(sql`select pg_advisory_xact_lock(hashtext('saved_views'), ${actor.id})`);
      const own = and(eq(savedViews.userId, actor.id), eq(savedViews.page, page));
      if ((await tx.$count(savedViews, own)) >= VIEWS_MAX) {
        throw new AppError("invalid", "viewsTooMany", { max: VIEWS_MAX });
      }
      const [row] = await tx
        .insert(savedViews)
        .values({ userId: actor.id, page, name, query, columns })
        .returning({ id: savedViews.id });
      if (!row) throw new Error("an insert returned no row");
      return row;
    }),
  );
}

/** Renames one of the current user's views. Throws not_found, or conflict for a name that is taken or that was changed. */
export async function renameView(ctx: ServiceContext, input: RenameView): Promise<void> {
  const { id, name, seen } = parseInput(renameViewSchema, input);
  const own = ownView(ctx, id);
  await refuseTakenName(() =>
    ctx.db.transaction(async (tx) => {
      const [before] = await tx.select({ name: savedViews.name }).from(savedViews).where(own).for("update");
      if (!before) throw new AppError("not_found", "viewNotFound");
      refuseChanged(before, { name }, seen);
      await tx.update(savedViews).set({ name }).where(own);
    }),
  );
}

/** Makes one of the current user's views the one that its list opens with, or no longer. Throws not_found. */
export async function setDefaultView(ctx: ServiceContext, input: DefaultView): Promise<void> {
  const { id, isDefault } = parseInput(defaultViewSchema, input);
  await ctx.db.transaction(async (tx) => {
    const [view] = await tx.select({ page: savedViews.page }).from(savedViews).where(ownView(ctx, id));
    if (!view) throw new AppError("not_found", "viewNotFound");
    const actor = requireRole(ctx, ROLE.user);
    await tx.execute(sql`select pg_advisory_xact_lock(hashtext('saved_views'), ${actor.id})`);
    const ofPage = and(eq(savedViews.userId, actor.id), eq(savedViews.page, view.page));
    await tx
      .update(savedViews)
      .set({ isDefault: false })
      .where(and(ofPage, eq(savedViews.isDefault, true)));
    if (isDefault) await tx.update(savedViews).set({ isDefault: true }).where(ownView(ctx, id));
  });
}

/** Deletes one of the current user's views. Throws not_found. */
export async function deleteView(ctx: ServiceContext, id: number): Promise<void> {
  const rows = await ctx.db.delete(savedViews).where(ownView(ctx, id)).returning({ id: savedViews.id });
  if (rows.length === 0) throw new AppError("not_found", "viewNotFound");
}

function ownView(ctx: ServiceContext, id: number) {
  return and(eq(savedViews.id, id), eq(savedViews.userId, requireRole(ctx, ROLE.user).id));
}

async function refuseTakenName<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (isUniqueViolation(error)) throw new AppError("conflict", "viewNameTaken", { field: "name" });
    throw error;
  }
}
