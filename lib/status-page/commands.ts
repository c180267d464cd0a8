import { eq } from "drizzle-orm";
import { statusIncidents } from "@/db/schema";
import { writeAudit } from "@/lib/audit/commands";
import { nowSeconds } from "@/lib/clock";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { parseInput } from "@/lib/validation";
import { forgetStatusPage } from "./queries";
import { type IncidentInput, incidentSchema } from "./schemas";

/** Publishes a new incident or changes one (administrators). Returns its id. Throws not_found. */
export async function saveIncident(ctx: ServiceContext, input: IncidentInput): Promise<number> {
  requireRole(ctx, ROLE.admin);
  const { id, ...values } = parseInput(incidentSchema, input);
  const saved = await ctx.db.transaction(async (tx) => {
    const [before] = id === null ? [] : await tx.select().from(statusIncidents).where(eq(statusIncidents.id, id));
    if (id !== null && !before) throw new AppError("not_found", "incidentNotFound");
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
