import { inArray, sql } from "drizzle-orm";
import { channels } from "@/db/schema";
import { writeAudits } from "@/lib/audit/commands";
import { writeValues } from "@/lib/channel/bulk-commands";
import { reviveKeys } from "@/lib/channel/key-state-commands";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { CHANNEL_STATUS } from "@/lib/row-status";
import { parseInput } from "@/lib/validation";
import { type ApplyRoutingInput, applyRoutingSchema } from "./schemas";

type Wanted = ApplyRoutingInput["channels"][number];

/**
 * Sets priorities, weights and switches of channels, all or none (administrators). Throws conflict when one of them was
 * changed since the draft began, not_found when one is gone.
 */
export async function applyRouting(ctx: ServiceContext, input: ApplyRoutingInput): Promise<{ count: number }> {
  requireRole(ctx, ROLE.admin);
  const wanted = new Map(parseInput(applyRoutingSchema, input).channels.map((row) => [row.id, row]));
  return ctx.db.transaction(async (tx) => {
    const { id, name, priority, weight } = channels;
    const rows = await tx
      .select({ id, name, priority, weight, status: SHOWN_STATUS })
      .from(channels)
      .where(inArray(channels.id, [...wanted.keys()]))
      .orderBy(channels.id)
      .for("update");
    if (rows.length < wanted.size) throw new AppError("not_found", "channelNotFound");
    const pairs = rows.map((row) => ({ row, to: wanted.get(row.id) as Wanted }));
    const changed = pairs.find(({ row, to }) => !isSame(row, to.seen));
    if (changed) throw new AppError("conflict", "routingChanged", { name: changed.row.name });
    for (const field of ["priority", "weight"] as const) {
      const values = pairs.filter(({ row, to }) => row[field] !== to[field]);
      await writeValues(
        tx,
        field,
        values.map(({ row, to }) => ({ id: row.id, value: to[field], info: {} })),
      );
    }
    const switched = pairs.filter(({ row, to }) => isEnabled(row) !== to.isEnabled);
    await writeValues(
      tx,
      "status",
      switched.map(({ row, to }) => ({ id: row.id, value: statusOf(to), info: {} })),
    );
    const revived = switched.filter(({ to }) => to.isEnabled).map(({ row }) => row.id);
    if (revived.length > 0) await reviveKeys(tx, revived);
    const differing = pairs.filter(({ row, to }) => !isSame(row, to));
    await writeAudits(
      tx,
      ctx,
      differing.map(({ row, to }) => ({
        action: "channel.update",
        subject: `channel:${row.id}`,
        before: { priority: row.priority, weight: row.weight, status: row.status },
        after: {
          priority: to.priority,
          weight: to.weight,
          status: isEnabled(row) === to.isEnabled ? row.status : statusOf(to),
        },
      })),
    );
    return { count: differing.length };
  });
}

/** As `listRouting` has it: a channel none of whose keys is enabled is off. */
const SHOWN_STATUS = sql<number>`
  case when channels.status = ${CHANNEL_STATUS.enabled}::int
    and exists (select from channel_keys k where k.channel_id = channels.id)
    and not exists (select from channel_keys k where k.channel_id = channels.id and k.status = ${CHANNEL_STATUS.enabled}::int)
  then ${CHANNEL_STATUS.autoDisabled}::int else channels.status end`;

type Row = { priority: number; weight: number; status: number };

function isEnabled({ status }: Row): boolean {
  return status === CHANNEL_STATUS.enabled;
}

function statusOf({ isEnabled: isWanted }: Wanted): number {
  return isWanted ? CHANNEL_STATUS.enabled : CHANNEL_STATUS.disabled;
}

function isSame(row: Row, draft: Pick<Wanted, "priority" | "weight" | "isEnabled">): boolean {
  return row.priority === draft.priority && row.weight === draft.weight && isEnabled(row) === draft.isEnabled;
}
