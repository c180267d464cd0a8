import { and, eq, isNull, sql } from "drizzle-orm";
import { z } from "zod";
import type { Sql } from "@/db/client";
import { channelCircuits } from "@/db/schema";
import { writeAudit } from "@/lib/audit/commands";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { notifyRoots } from "@/lib/notify/notify-commands";
import { parseInput } from "@/lib/validation";

export const circuitSchema = z.object({ id: z.number().int().positive(), model: z.string().min(1).max(255) });

/**
 * Closes the open circuit of a channel and a model by hand, so that all processes use the channel again. It starts from
 * the shortest rest if it opens again. Throws not_found where it is not open.
 */
export async function closeCircuit(ctx: ServiceContext, input: z.input<typeof circuitSchema>): Promise<void> {
  requireRole(ctx, ROLE.admin);
  const { id, model } = parseInput(circuitSchema, input);
  await ctx.db.transaction(async (tx) => {
    const [closed] = await tx
      .update(channelCircuits)
      .set({ closedAt: sql`now()`, level: 0, probeId: null, probeUntil: null, updatedAt: sql`now()` })
      .where(and(eq(channelCircuits.channelId, id), eq(channelCircuits.model, model), isNull(channelCircuits.closedAt)))
      .returning({ cause: channelCircuits.cause });
    if (!closed) throw new AppError("not_found", "channelCircuitNotOpen");
    const before = { model, cause: closed.cause };
    await writeAudit(tx, ctx, { action: "channel.circuit-close", subject: `channel:${id}`, before });
    await tx.execute(sql`select pg_notify('weir', ${`circuits:${id}`})`);
  });
}

type LongOpen = { channelId: number; channelName: string; model: string; cause: string; minutes: number };

const LONG_MINUTES = 10;

/**
 * Tells root of channels with a circuit that has been open for more than ten minutes and whose last probe failed just
 * now; without requests nobody knows whether it still fails. One message per channel. Returns how many channels.
 */
export async function tellOfLongOpenCircuits(sql: Sql): Promise<number> {
  const rows = await sql<LongOpen[]>`
    select distinct on (channel_id) channel_id as "channelId", channels.name as "channelName", model, cause,
      floor(extract(epoch from now() - opened_at) / 60)::int as minutes
    from channel_circuits join channels on channels.id = channel_id
    where closed_at is null and opened_at < now() - ${LONG_MINUTES} * interval '1 min'
      and open_until > now() - interval '1 min'
    order by channel_id, opened_at`;
  for (const params of rows) {
    await notifyRoots(sql, { event: "circuit_open", params, dedupeKey: `circuit:${params.channelId}` });
  }
  return rows.length;
}
