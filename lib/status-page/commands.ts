import { eq } from "drizzle-orm";
import { statusIncidents } from "@/db/schema";
import { writeAudit } from "@/lib/audit/commands";
import { nowSeconds } from "@/lib/clock";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { refuseChanged } from "@/lib/seen";
import { parseInput } from "@/lib/validation";
import { forgetStatusPage } from "./queries";
import { incidentSchema, type SaveIncidentInput, saveIncidentSchema } from "./schemas";

/**
 * Publishes a new incident or changes the given fields of one (administrators). Returns its id. Throws not_found, or conflict for
 * a field that somebody else has changed since the client saw it.
 */
export async function saveIncident(ctx: ServiceContext, input: SaveIncidentInput): Promise<number> {
  requireRole(ctx, ROLE.admin);
  const { id, seen, ...given } = parseInput(saveIncidentSchema, input);
  const saved = await ctx.db.transaction(async (tx) => {
    const [before] =
      id === null ? [] : await tx.select().from(statusIncidents).where(eq(statusIncidents.id, id)).for("update");
    if (id !== null && !before) throw new AppError("not_found", "incidentNotFound");
    refuseChanged(before ?? {}, given, seen);
    const values = parseInput(incidentSchema, { ...before, ...given });
    const [row] =
      id === null
        ? await tx.insert(statusIncidents).values(values).returning()
        : await tx
            .update(statusIncidents)
            .set({ ...values, updatedAt: nowSeconds() })
            .where(eq(statusIncidents.id, id))
            .returning();
    if (!row) throw new AppError("not_found", "incidentNotFound");
    const action = before ? "incident.update" : "incident.create";
    await writeAudit(tx, ctx, { action, subject: `incident:${row.id}`, before, after: row });
    return row.id;
  });
  forgetStatusPage(ctx.sql);
  return saved;
}

/** Takes an incident off the page (administrators). Throws not_found. */
export async function deleteIncident(ctx: ServiceContext, id: number): Promise<void> {
  requireRole(ctx, ROLE.admin);
  await ctx.db.transaction(async (tx) => {
    const [before] = await tx.delete(statusIncidents).where(eq(statusIncidents.id, id)).returning();
    if (!before) throw new AppError("not_found", "incidentNotFound");
    await writeAudit(tx, ctx, { action: "incident.delete", subject: `incident:${id}`, before });
  });
  forgetStatusPage(ctx.sql);
}
