import type { ReservedSql } from "postgres";

/** Runs one statement that takes a strong lock for a moment. */
type Briefly = (text: string) => Promise<void>;

type CreateIndex = { unique: string; name: string; table: string; rest: string };

const identifier = `(?:"[^"]+"|[a-z_][a-z0-9_$]*)`;
const CREATE = new RegExp(
  `^\\s*create\\s+(unique\\s+)?index\\s+concurrently\\s+(?:if\\s+not\\s+exists\\s+)?(${identifier})\\s+on\\s+(?:only\\s+)?(?:"?public"?\\.)?(${identifier})\\s*(.*?);?\\s*$`,
  "is",
);

/** Null for other statements. */
export function parseCreateIndex(text: string): CreateIndex | null {
  const match = CREATE.exec(text);
  if (!match) return null;
  const [, unique = "", name = "", table = "", rest = ""] = match;
  return { unique: unique.trim(), name: bare(name), table: bare(table), rest };
}

/**
 * CREATE INDEX CONCURRENTLY that can be repeated after a crash: what is there and valid stays, what a crash has left
 * invalid is made again. PostgreSQL cannot do it on a partitioned table: there the index is made for each partition and
 * then attached.
 */
export async function createIndexConcurrently(sql: ReservedSql, index: CreateIndex, briefly: Briefly): Promise<void> {
  const [table] = await sql<
    { kind: string }[]
  >`select relkind as kind from pg_class where oid = ${quoted(index.table)}::regclass`;
  if (table?.kind !== "p") return createOn(sql, index);
  const { unique, name, rest } = index;
  if ((await stateOf(sql, name)) === "absent") {
    await briefly(`create ${unique} index ${quoted(name)} on only ${quoted(index.table)} ${rest}`);
  }
  // Partitions that are attached meanwhile get the index with it or are found by the next round.
  for (
    let partitions = await withoutIndex(sql, index);
    partitions.length > 0;
    partitions = await withoutIndex(sql, index)
  ) {
    for (const partition of partitions) {
      const own = { unique, name: childName(partition, index), table: partition, rest };
      await createOn(sql, own);
      await briefly(`alter index ${quoted(name)} attach partition ${quoted(own.name)}`);
    }
  }
  if ((await stateOf(sql, name)) !== "valid") throw new Error(`the index ${name} is not valid on every partition`);
}

async function createOn(sql: ReservedSql, { unique, name, table, rest }: CreateIndex): Promise<void> {
  const state = await stateOf(sql, name);
  if (state === "valid") return;
  if (state === "invalid") await sql.unsafe(`drop index concurrently if exists ${quoted(name)}`);
  await sql.unsafe(`create ${unique} index concurrently ${quoted(name)} on ${quoted(table)} ${rest}`);
}

async function stateOf(sql: ReservedSql, name: string): Promise<"absent" | "valid" | "invalid"> {
  const [row] = await sql<{ valid: boolean }[]>`
    select indisvalid as valid from pg_index where indexrelid = to_regclass(${quoted(name)})`;
  return row === undefined ? "absent" : row.valid ? "valid" : "invalid";
}

async function withoutIndex(sql: ReservedSql, { name, table }: CreateIndex): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select child.relname as name
    from pg_inherits part
    join pg_class child on child.oid = part.inhrelid
    where part.inhparent = ${quoted(table)}::regclass and not exists (
      select from pg_inherits made join pg_index own on own.indexrelid = made.inhrelid
      where made.inhparent = ${quoted(name)}::regclass and own.indrelid = child.oid)
    order by 1`;
  return rows.map((row) => row.name);
}

/** PostgreSQL cuts names after 63 bytes. */
function childName(partition: string, { name, table }: CreateIndex): string {
  const own = name.startsWith(`${table}_`) ? name.slice(table.length + 1) : name;
  return `${partition}_${own}`.slice(0, 63);
}

function bare(name: string): string {
  return name.startsWith('"') ? name.slice(1, -1) : name.toLowerCase();
}

function quoted(name: string): string {
  return `"${name}"`;
}
