import { sql } from "drizzle-orm";
import type { Database } from "@/db/client";
import type { DryTables } from "./dry-run-commands";
import type { Kind } from "./types";

/** What must not be there twice. Values of bindings are the id, a line break, and the server of it. */
const VALUES = {
  username: { table: "users", value: "lower(username)" },
  email: { table: "users", value: "lower(email)" },
  affCode: { table: "users", value: "aff_code" },
  accessToken: { table: "users", value: "access_token_hash" },
  github: { table: "users", value: "github_id", place: "github_server" },
  oidc: { table: "users", value: "oidc_id", place: "oidc_issuer" },
  wechat: { table: "users", value: "wechat_id", place: "wechat_server" },
  telegram: { table: "users", value: "telegram_id" },
  linuxDo: { table: "users", value: "linux_do_id", place: "linux_do_server" },
  keyHash: { table: "tokens", value: "key_hash" },
  code: { table: "redemptions", value: "key" },
  tradeNo: { table: "top_ups", value: "trade_no" },
} as const satisfies Record<string, { table: string; value: string; place?: string }>;

export type Unique = keyof typeof VALUES;
export const placed = (id: string, place: string): string => `${id}\n${place}`;

export type Lookups = {
  /** Asks which of the values are taken. */
  load: (what: Unique, values: readonly string[]) => Promise<void>;
  /** Whether a loaded value is taken, or was claimed since. */
  isTaken: (what: Unique, value: string) => boolean;
  claim: (what: Unique, value: string) => void;
  /** The ids here by those there, of what was imported. */
  newIds: (kind: Kind, oldIds: readonly number[]) => Promise<Map<number, number>>;
  remember: (kind: Kind, pairs: readonly (readonly [number, number])[]) => Promise<void>;
};

/** Looks things up for one batch. `dry` is that of a dry run, which writes nothing. */
export function createLookups(tx: Database, sourceId: number, dry: DryTables | null): Lookups {
  const taken = new Map<Unique, Set<string>>();
  const setOf = (what: Unique): Set<string> => {
    const found = taken.get(what) ?? new Set();
    taken.set(what, found);
    return found;
  };
  return {
    async load(what, values) {
      const known = setOf(what);
      for (const value of await selectTaken(tx, what, values)) known.add(value);
      for (const value of (await dry?.claimed(what, values)) ?? []) known.add(value);
    },
    isTaken: (what, value) => setOf(what).has(value),
    claim(what, value) {
      setOf(what).add(value);
      dry?.claim(what, value);
    },
    async newIds(kind, oldIds) {
      // A dry run may continue what an import has begun.
      const found = sourceId === 0 ? new Map<number, number>() : await selectNewIds(tx, sourceId, kind, oldIds);
      for (const id of (await dry?.knownIds(kind, oldIds)) ?? []) if (!found.has(id)) found.set(id, id);
      return found;
    },
    async remember(kind, pairs) {
      if (dry)
        dry.rememberIds(
          kind,
          pairs.map(([oldId]) => oldId),
        );
      else await insertIds(tx, sourceId, kind, pairs);
    },
  };
}

async function selectTaken(tx: Database, what: Unique, values: readonly string[]): Promise<string[]> {
  if (values.length === 0) return [];
  const { table, value, ...rest } = VALUES[what];
  const place = "place" in rest ? rest.place : null;
  const ids = place === null ? values : values.map((both) => both.split("\n")[0] ?? "");
  const shown = place === null ? sql.raw(value) : sql.raw(`${value} || chr(10) || ${place}`);
  const rows = await tx.execute<{ taken: string }>(sql`
    select ${shown} as taken from ${sql.identifier(table)}
    where ${sql.raw(value)} = any(array(select jsonb_array_elements_text(${JSON.stringify(ids)}::text::jsonb)))`);
  return rows.map((row) => row.taken);
}

async function selectNewIds(
  tx: Database,
  sourceId: number,
  kind: Kind,
  oldIds: readonly number[],
): Promise<Map<number, number>> {
  if (oldIds.length === 0) return new Map();
  const rows = await tx.execute<{ old: number; new: number }>(sql`
    select old_id as old, new_id as new from import_ids
    where source_id = ${sourceId} and kind = ${kind}
      and old_id = any(array(select jsonb_array_elements_text(${JSON.stringify([...new Set(oldIds)])}::text::jsonb)::bigint))`);
  return new Map(rows.map((row) => [Number(row.old), row.new]));
}

async function insertIds(
  tx: Database,
  sourceId: number,
  kind: Kind,
  pairs: readonly (readonly [number, number])[],
): Promise<void> {
  if (pairs.length === 0) return;
  await tx.execute(sql`
    insert into import_ids (source_id, kind, old_id, new_id)
    select ${sourceId}, ${kind}, (pair->>0)::bigint, (pair->>1)::integer
    from jsonb_array_elements(${JSON.stringify(pairs)}::text::jsonb) as pair`);
}

/** New ids from a table's sequence. */
export async function takeIds(
  tx: Database,
  table: "users" | "tokens" | "redemptions",
  count: number,
): Promise<number[]> {
  const rows = await tx.execute<{ id: number }>(sql`
    select nextval(pg_get_serial_sequence(${table}, 'id'))::integer as id from generate_series(1, ${count}::int)`);
  return rows.map(({ id }) => id);
}
