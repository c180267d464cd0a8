import { sql } from "drizzle-orm";
import type { Database } from "@/db/client";
import type { Findings } from "./findings";

export type ImportedSource = { id: number; intoFresh: boolean };
export type Position = { lastId: number; findings: Findings };

/** The source as it is known here, null before its first import. */
export async function findSource(db: Database, system: string, fingerprint: string): Promise<ImportedSource | null> {
  const [row] = await db.execute<{ id: number; into_fresh: boolean }>(sql`
    select id, into_fresh from import_sources where system = ${system} and fingerprint = ${fingerprint}`);
  return row ? { id: row.id, intoFresh: row.into_fresh } : null;
}

export async function createSource(
  db: Database,
  system: string,
  fingerprint: string,
  intoFresh: boolean,
): Promise<ImportedSource> {
  await db.execute(sql`
    insert into import_sources (system, fingerprint, into_fresh) values (${system}, ${fingerprint}, ${intoFresh})
    on conflict (system, fingerprint) do nothing`);
  const made = await findSource(db, system, fingerprint);
  if (!made) throw new Error("the source could not be noted");
  return made;
}

/** Has gateways read their settings anew: with this source there are keys of which only a hash is known (lib/snapshot). */
export async function announceSource(tx: Database): Promise<void> {
  await tx.execute(sql`select pg_notify('weir', 'imports:0')`);
}

/** Whether nobody has used this Weir yet: no account but the first, no channel, no order and no code. */
export async function isFresh(db: Database): Promise<boolean> {
  const [row] = await db.execute<{ used: boolean }>(sql`
    select (select count(*) from (select from users limit 2) as few) > 1 or exists (select from channels)
      or exists (select from tokens) or exists (select from top_ups) or exists (select from redemptions) as used`);
  return row?.used === false;
}

export async function findPosition(db: Database, sourceId: number, kind: string): Promise<Position | null> {
  const [row] = await db.execute<{ last_id: string; findings: Findings }>(sql`
    select last_id, findings from import_positions where source_id = ${sourceId} and kind = ${kind}`);
  return row ? { lastId: Number(row.last_id), findings: row.findings } : null;
}

/**
 * Moves the position in the transaction of the rows. Throws where another import of the same source has moved it since: the
 * rows of one of the two must go.
 */
export async function movePosition(
  tx: Database,
  sourceId: number,
  kind: string,
  { from, lastId, findings }: Position & { from: number | null },
): Promise<void> {
  const text = JSON.stringify(findings);
  const moved =
    from === null
      ? await tx.execute(sql`
          insert into import_positions (source_id, kind, last_id, findings)
          values (${sourceId}, ${kind}, ${lastId}, ${text}::text::jsonb) on conflict do nothing returning kind`)
      : await tx.execute(sql`
          update import_positions set last_id = ${lastId}, findings = ${text}::text::jsonb,
            updated_at = floor(extract(epoch from now()))::bigint
          where source_id = ${sourceId} and kind = ${kind} and last_id = ${from} returning kind`);
  if (moved.length === 0)
    throw new Error("Another import of the same source is running. Nothing of this batch was written.");
}
