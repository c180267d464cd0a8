"use server";

import { refresh } from "next/cache";
import { z } from "zod";
import { applyToEach } from "@/components/data-table/apply-to-each";
import type { ServiceContext } from "@/lib/context";
import { action } from "@/lib/http/action";
import { MATCHING_MAX } from "@/lib/matching-max";
import { createUser as create, manageUser as manage, updateUser as update } from "@/lib/user/commands";
import { listChangeableUsers } from "@/lib/user/queries";
import { createUserSchema, manageUserSchema, updateUserSchema, userSearchSchema } from "@/lib/user/schemas";
import { endUserSessions } from "@/lib/user/session-commands";

export const createUser = action(createUserSchema.omit({ role: true }), async (ctx, input) => {
  await create(ctx, input);
  refresh();
});

export const updateUser = action(updateUserSchema.omit({ role: true }), async (ctx, input) => {
  await update(ctx, input);
  refresh();
});

/** The client updates the row from this reply. No refresh: the row would vanish if it no longer matches the filters. */
export const manageUser = action(manageUserSchema, async (ctx, input) => {
  const { role, status, deletedAt } = await manage(ctx, input);
  return { role, status, deleted: deletedAt !== null };
});

export const endSessions = action(manageUserSchema.pick({ id: true }), async (ctx, { id }) => {
  await endUserSessions(ctx, id);
  refresh();
});

const bulkSchema = z.object({
  ids: z.array(manageUserSchema.shape.id).min(1).max(MATCHING_MAX),
  change: z.discriminatedUnion("kind", [
    z.object({ kind: z.enum(["enable", "disable"]) }),
    z.object({ kind: z.literal("group"), group: updateUserSchema.shape.group.unwrap() }),
  ]),
});
type BulkChange = z.output<typeof bulkSchema>["change"];

/** The accounts that match the filters of the list and may be changed. */
export const findUsers = action(userSearchSchema, (ctx, search) => listChangeableUsers(ctx, search));

/** Applies the change to each account separately. A refusal for one does not stop the others. */
export const applyToUsers = action(bulkSchema, async (ctx, { ids, change }) => {
  const outcome = await applyToEach(ids, (id) => applyOne(ctx, id, change));
  refresh();
  return outcome;
});

async function applyOne(ctx: ServiceContext, id: number, change: BulkChange): Promise<void> {
  if (change.kind === "group") await update(ctx, { id, group: change.group });
  else await manage(ctx, { id, action: change.kind });
}
