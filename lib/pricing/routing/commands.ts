import { inArray, sql } from "drizzle-orm";
import { channels } from "@/db/schema";
import { writeAudits } from "@/lib/audit/commands";
import { writeValues } from "@/lib/channel/bulk-commands";
import { reviveKeys } from "@/lib/channel/key-state-commands";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError, type Clash } from "@/lib/errors";
import { CHANNEL_STATUS } from "@/lib/row-status";
import { isSameValue } from "@/lib/seen";
import { parseInput } from "@/lib/validation";
import { type ApplyRoutingInput, applyRoutingSchema } from "./schemas";

type Wanted = ApplyRoutingInput["channels"][number];
type Target = Omit<Wanted, "seen">;

/**
 * Sets priorities, weights and switches of channels, all or none (administrators). What the draft did not change stays as it is now.
 * Throws conflict with both values when somebody else has changed what the draft changes, not_found when a channel is gone.
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
    const pairs = rows.map((row) => ({ row, to: bringTogether(row, wanted.get(row.id) as Wanted) }));
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

/** What the draft wants, with what is stored where it wants what it began with. */
function bringTogether(row: Row & { id: number; name: string }, { seen, ...to }: Wanted): Target {
  const stored = { priority: row.priority, weight: row.weight, isEnabled: isEnabled(row) };
  const merged = { ...to };
  const clashes: Clash[] = [];
  const take = <Field extends keyof typeof stored>(field: Field) => {
    if (isSameValue(to[field], seen[field])) Object.assign(merged, { [field]: stored[field] });
    else if (!isSameValue(stored[field], seen[field]) && !isSameValue(stored[field], to[field]))
      clashes.push({ field: `${row.id}.${field}`, seen: seen[field], stored: stored[field] });
  };
  take("priority");
  take("weight");
  take("isEnabled");
  if (clashes.length === 0) return merged;
  const error = new AppError("conflict", "routingChanged", { name: row.name });
  error.clashes = clashes;
  throw error;
}

type Row = { priority: number; weight: number; status: number };

function isEnabled({ status }: Row): boolean {
  return status === CHANNEL_STATUS.enabled;
}

function statusOf({ isEnabled: isWanted }: Target): number {
  return isWanted ? CHANNEL_STATUS.enabled : CHANNEL_STATUS.disabled;
}

function isSame(row: Row, draft: Target): boolean {
  return row.priority === draft.priority && row.weight === draft.weight && isEnabled(row) === draft.isEnabled;
}
