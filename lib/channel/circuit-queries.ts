import { and, asc, inArray, isNull, sql } from "drizzle-orm";
import { channelCircuits } from "@/db/schema";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import type { CircuitCause } from "@/lib/row-status";
import type { ChannelCircuit } from "./types";

/** The open circuits of these channels, longest open first; channels without one are left out (administrators only). */
export async function listOpenCircuits(
  ctx: ServiceContext,
  channelIds: readonly number[],
): Promise<Map<number, ChannelCircuit[]>> {
  requireRole(ctx, ROLE.admin);
  const found = new Map<number, ChannelCircuit[]>();
  if (channelIds.length === 0) return found;
  const rows = await ctx.db
    .select({
      channelId: channelCircuits.channelId,
      model: channelCircuits.model,
      cause: sql<CircuitCause>`${channelCircuits.cause}`,
      openedAt: sql<number>`floor(extract(epoch from ${channelCircuits.openedAt}))`.mapWith(Number),
      restSeconds: sql<number>`greatest(0, ceil(extract(epoch from ${channelCircuits.openUntil} - now())))`.mapWith(
        Number,
      ),
      isProbed: sql<boolean>`coalesce(${channelCircuits.probeUntil} > now(), false)`,
    })
    .from(channelCircuits)
    .where(and(inArray(channelCircuits.channelId, [...channelIds]), isNull(channelCircuits.closedAt)))
    .orderBy(asc(channelCircuits.openedAt), asc(channelCircuits.model));
  for (const { channelId, ...circuit } of rows) {
    const known = found.get(channelId);
    if (known) known.push(circuit);
    else found.set(channelId, [circuit]);
  }
  return found;
}
