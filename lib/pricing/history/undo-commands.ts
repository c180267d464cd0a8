import { eq, sql } from "drizzle-orm";
import type { Database } from "@/db/client";
import { priceChangeEntries } from "@/db/schema";
import { parseObject } from "@/lib/audit/difference";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { changeOptionsTogether } from "@/lib/option/commands";
import { isRecorded, priceOrigin, RECORDED_KEYS, type RecordedKey } from "@/lib/option/price-record-commands";
import type { OptionChange } from "@/lib/option/types";
import { parseInput } from "@/lib/validation";
import { undoPriceChangeSchema } from "./queries";

/** Named in an error; the others are in the history. */
const NAMED_MAX = 3;

type Entry = { id: number; key: RecordedKey; name: string; before: unknown; after: unknown };
type Texts = Readonly<Record<RecordedKey, string>>;

/**
 * Gives every model and group of a change the price that it had before, all or none (root only); this is a change of its
 * own. Throws not_found, or conflict that says what was changed since for any of them.
 */
export async function undoPriceChange(ctx: ServiceContext, input: { id: number }): Promise<{ count: number }> {
  requireRole(ctx, ROLE.root);
  const { id } = parseInput(undoPriceChangeSchema, input);
  let count = 0;
  await changeOptionsTogether(
    ctx,
    RECORDED_KEYS,
    async (texts, tx) => {
      const entries = await readEntries(tx, id);
      if (entries.length === 0) throw new AppError("not_found", "priceChangeUnknown");
      const since = [...(await listLater(tx, id)), ...listStrange(texts, entries)];
      if (since.length > 0) throw changedSince(since);
      count = new Set(entries.map(({ name }) => name)).size;
      return toChanges(texts, entries);
    },
    priceOrigin("undo", id),
  );
  return { count };
}

async function readEntries(tx: Database, changeId: number): Promise<Entry[]> {
  const rows = await tx
    .select()
    .from(priceChangeEntries)
    .where(eq(priceChangeEntries.changeId, changeId))
    .orderBy(priceChangeEntries.id);
  return rows.flatMap(({ id, key, name, before, after }) =>
    isRecorded(key) ? [{ id, key, name, before: before ?? null, after: after ?? null }] : [],
  );
}

type Since = { key: string; name: string; before: unknown; after: unknown };

/** The newest later change of each model or group. */
async function listLater(tx: Database, changeId: number): Promise<Since[]> {
  const rows = await tx.execute<Since>(sql`
    select distinct on (later.name) later.name, later.key, later.before, later.after
    from price_change_entries own
    join price_change_entries later on later.name = own.name and later.id > own.id and later.change_id <> own.change_id
      and (later.key = 'GroupRatio') = (own.key = 'GroupRatio')
    where own.change_id = ${changeId}::bigint
    order by later.name, later.id desc limit 100`);
  return [...rows];
}

/** Prices that are not what the change made of them although no later change is known. */
function listStrange(texts: Texts, entries: readonly Entry[]): Since[] {
  return entries.flatMap(({ key, name, after }) => {
    const now = valueIn(texts[key], name);
    return same(now, after) ? [] : [{ key, name, before: after, after: now }];
  });
}

function valueIn(text: string, name: string): unknown {
  const map = parseObject(text) ?? {};
  return Object.hasOwn(map, name) ? map[name] : null;
}

/** jsonb does not keep the order of keys. */
function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

function sorted(value: unknown): unknown {
  return typeof value === "object" && value !== null
    ? Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
    : value;
}

function changedSince(since: readonly Since[]): AppError {
  const unique = [...new Map(since.map((one) => [one.name, one])).values()];
  const named = unique.slice(0, NAMED_MAX).map(({ key, name, before, after }) => {
    return `${name} (${key}: ${shown(before)} → ${shown(after)})`;
  });
  const changes = named.join(", ") + (unique.length > NAMED_MAX ? `, … (+${unique.length - NAMED_MAX})` : "");
  return new AppError("conflict", "priceChangedSince", { changes });
}

function shown(value: unknown): string {
  return value === null || value === undefined ? "—" : JSON.stringify(value).slice(0, 100);
}

function toChanges(texts: Texts, entries: readonly Entry[]): OptionChange[] {
  const keys = [...new Set(entries.map(({ key }) => key))];
  return keys.map((key) => {
    const map = new Map(Object.entries(parseObject(texts[key]) ?? {}));
    for (const entry of entries) {
      if (entry.key !== key) continue;
      if (entry.before === null) map.delete(entry.name);
      else map.set(entry.name, entry.before);
    }
    return { key, value: JSON.stringify(Object.fromEntries(map)) };
  });
}
