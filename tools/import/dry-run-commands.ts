import { hash } from "node:crypto";
import type { Sql } from "@/db/client";
import { openSession } from "@/db/connect";
import type { Unique } from "./lookup-queries";
import type { Kind } from "./types";

/** What is kept in memory before it is written. */
const WAITING_MAX = 10_000;

/** What a dry run would have written: hashes of names, addresses and keys, and ids. */
export type DryTables = {
  /** Which of the values were claimed, here or in an earlier batch. */
  claimed: (what: Unique, values: readonly string[]) => Promise<string[]>;
  claim: (what: Unique, value: string) => void;
  knownIds: (kind: Kind, ids: readonly number[]) => Promise<number[]>;
  rememberIds: (kind: Kind, ids: readonly number[]) => void;
  close: () => Promise<void>;
};

/**
 * Keeps it in a temporary table of one session of the database, so that memory does not grow with the source. PostgreSQL drops it with
 * the session. One column, which is the key: for more of them it would read the whole table each time, because nothing analyses it.
 */
export async function openDryTables(sql: Sql): Promise<DryTables> {
  const { sql: session, release } = await openSession(sql, "weir-import-dry-run");
  const close = async (): Promise<void> => {
    try {
      // The session may be one of a pool.
      await session`drop table if exists dry_run`;
    } finally {
      await release();
    }
  };
  try {
    await session`create temporary table dry_run (digest bigint primary key)`;
  } catch (error) {
    await close();
    throw error;
  }
  const waiting = new Set<string>();
  const keep = (name: string): void => void waiting.add(digestOf(name));
  const write = async (): Promise<void> => {
    const digests = [...waiting].sort();
    waiting.clear();
    await session`insert into dry_run select unnest(${digests}::bigint[]) on conflict do nothing`;
  };
  /** Whether they were kept, in their order. */
  const find = async (names: readonly string[]): Promise<boolean[]> => {
    if (waiting.size > WAITING_MAX) await write();
    const digests = names.map(digestOf);
    const rows =
      names.length === 0
        ? []
        : await session<{ digest: string }[]>`
            select digest::text from dry_run where digest = any(${digests}::bigint[])`;
    const found = new Set(rows.map(({ digest }) => digest));
    return digests.map((digest) => found.has(digest) || waiting.has(digest));
  };
  return {
    async claimed(what, values) {
      const found = await find(values.map((value) => `${what} ${value}`));
      return values.filter((_, at) => found[at]);
    },
    claim: (what, value) => keep(`${what} ${value}`),
    async knownIds(kind, ids) {
      const found = await find(ids.map((id) => `id of ${kind} ${id}`));
      return ids.filter((_, at) => found[at]);
    },
    rememberIds(kind, ids) {
      for (const id of ids) keep(`id of ${kind} ${id}`);
    },
    close,
  };
}

/** 64 bits of a hash, as PostgreSQL's bigint. */
function digestOf(value: string): string {
  return hash("sha256", value, "buffer").readBigInt64BE(0).toString();
}
