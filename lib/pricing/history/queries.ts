import { sql } from "drizzle-orm";
import { z } from "zod";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { escapeLike } from "@/lib/page";
import { parseInput } from "@/lib/validation";
import type { PriceChangeEntry, PriceChangePage, PriceChangeRow } from "./types";

const id = z.number("parametersInvalid").int("parametersInvalid").positive("parametersInvalid");

const priceChangeSearchSchema = z.object({
  /** Part of a model's or group's name. */
  name: z.string().trim().max(255, "parametersInvalid").default(""),
  /** Only changes with a smaller id. */
  before: id.max(Number.MAX_SAFE_INTEGER, "parametersInvalid").optional(),
});
export type PriceChangeSearch = z.input<typeof priceChangeSearchSchema>;

export const undoPriceChangeSchema = z.object({ id });

const ROWS_PER_PAGE = 20;
const ENTRIES_SHOWN = 50;

type Read = Omit<PriceChangeRow, "more" | "entries"> & { entries: PriceChangeEntry[]; count: number };

/** Changes of prices, newest first (root only); of a name's changes only its own entries. */
export async function listPriceChanges(
  ctx: ServiceContext,
  input: PriceChangeSearch = {},
  pageSize = ROWS_PER_PAGE,
): Promise<PriceChangePage> {
  requireRole(ctx, ROLE.root);
  const { name, before } = parseInput(priceChangeSearchSchema, input);
  const meant = name === "" ? sql`true` : sql`e.name ilike ${`%${escapeLike(name)}%`}`;
  const rows = await ctx.db.execute<Read>(sql`
    select c.id::float8 as id, c.created_at::float8 as "createdAt", c.actor_id as "actorId",
      coalesce(u.username, '') as "actorName", c.client_ip as "clientIp", c.source,
      c.undo_of::float8 as "undoOf",
      (select min(undo.id)::float8 from price_changes undo where undo.undo_of = c.id) as "undoneBy",
      exists (
        select 1 from price_change_entries own
        join price_change_entries later on later.name = own.name and later.id > own.id and later.change_id <> c.id
          and (later.key = 'GroupRatio') = (own.key = 'GroupRatio')
        where own.change_id = c.id
      ) as "isOvertaken",
      (select count(distinct e.name)::int from price_change_entries e where e.change_id = c.id) as names,
      (select count(*)::int from price_change_entries e where e.change_id = c.id and ${meant}) as count,
      (select json_agg(json_build_object('key', e.key, 'name', e.name, 'before', e.before, 'after', e.after) order by e.id)
        from (
          select * from price_change_entries e where e.change_id = c.id and ${meant} order by e.id limit ${ENTRIES_SHOWN}
        ) e) as entries
    from price_changes c left join users u on u.id = c.actor_id
    where (${before ?? null}::bigint is null or c.id < ${before ?? null}::bigint)
      and exists (select 1 from price_change_entries e where e.change_id = c.id and ${meant})
    order by c.id desc limit ${pageSize + 1}`);
  const items = rows.slice(0, pageSize).map(({ count, ...row }) => ({ ...row, more: count - row.entries.length }));
  return { items, next: rows.length > pageSize ? (items.at(-1)?.id ?? null) : null };
}
