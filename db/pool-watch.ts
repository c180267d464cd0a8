import type postgres from "postgres";

/** How much of a pool is used at the moment. */
export type PoolFigures = {
  /** The name that its connections have in pg_stat_activity. */
  name: string;
  max: number;
  /** Connections with a statement, a transaction or a borrower. */
  inUse: number;
  /** Statements and transactions that stand behind others, because all connections are in use. */
  waiting: number;
  /** How many have had to wait so far. */
  waits: number;
};

type Pool = PoolFigures & { running: number };

/** The parts of a postgres.js query that say when it begins and ends. */
type Query = {
  executed: boolean;
  handler: { weirPool?: Pool | undefined };
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
  handle(): Promise<void>;
};

/** On globalThis, because a process may have several bundles with this file in them. Undefined = nothing is counted. */
const holder = globalThis as typeof globalThis & { weirPools?: Set<Pool> };
const WATCHED = Symbol("weir.watched");

/** From now on the use of each pool that `createDatabase` opens is counted. */
export function watchPools(): void {
  holder.weirPools ??= new Set();
}

/** Pools that have the same name in this process are one. */
export function readPools(): PoolFigures[] {
  const byName = new Map<string, PoolFigures>();
  for (const { name, max, running, waits } of holder.weirPools ?? []) {
    const inUse = Math.min(running, max);
    const known = byName.get(name) ?? { name, max: 0, inUse: 0, waiting: 0, waits: 0 };
    byName.set(name, {
      name,
      max: known.max + max,
      inUse: known.inUse + inUse,
      waiting: known.waiting + running - inUse,
      waits: known.waits + waits,
    });
  }
  return [...byName.values()];
}

/**
 * Counts what a client is asked to do. postgres.js does not show its queues, but it takes a free connection whenever there
 * is one, so what runs beyond their number waits. Returns what ends the counting.
 */
export function watchPool(sql: postgres.Sql, name: string, max: number): () => void {
  const pools = holder.weirPools;
  if (!pools) return () => {};
  const pool: Pool = { name, max, inUse: 0, waiting: 0, waits: 0, running: 0 };
  pools.add(pool);
  // A statement that is made and never run; it has the pool's own handler, those of a transaction have another.
  const { handler, prototype } = partsOf(sql);
  handler.weirPool = pool;
  watchStatements(prototype);
  watchTransactions(sql, handler, pool);
  return () => {
    pools.delete(pool);
  };
}

function partsOf(sql: postgres.Sql): { handler: Query["handler"]; prototype: Query } {
  const query = sql`select` as unknown as Query;
  return { handler: query.handler, prototype: Object.getPrototypeOf(query) as Query };
}

function start(pool: Pool): () => void {
  pool.running += 1;
  if (pool.running > pool.max) pool.waits += 1;
  let hasEnded = false;
  return () => {
    if (hasEnded) return;
    hasEnded = true;
    pool.running -= 1;
  };
}

/** All clients of a copy of postgres.js have the same class of queries. */
function watchStatements(prototype: Query & { [WATCHED]?: true }): void {
  if (prototype[WATCHED]) return;
  prototype[WATCHED] = true;
  const { handle } = prototype;
  prototype.handle = function (this: Query) {
    const pool = this.executed ? undefined : this.handler.weirPool;
    if (pool) endWith(this, start(pool));
    return handle.call(this);
  };
}

function endWith(query: Query, end: () => void): void {
  const { resolve, reject } = query;
  query.resolve = (value) => {
    end();
    resolve(value);
  };
  query.reject = (error) => {
    end();
    reject(error);
  };
}

/** A transaction has its connection from BEGIN to COMMIT, a borrower until it gives it back. */
function watchTransactions(sql: postgres.Sql, handler: Query["handler"], pool: Pool): void {
  const { begin, reserve } = sql;
  const beginCounted = (...given: unknown[]): Promise<unknown> => {
    const end = start(pool);
    // BEGIN itself is sent by this call, and is a part of what was just counted.
    handler.weirPool = undefined;
    const transaction = (begin as (...given: unknown[]) => Promise<unknown>)(...given).finally(end);
    handler.weirPool = pool;
    return transaction;
  };
  const reserveCounted = async (): Promise<postgres.ReservedSql> => {
    const end = start(pool);
    const reserved = await reserve().catch((error: unknown) => {
      end();
      throw error;
    });
    const { release } = reserved;
    reserved.release = () => {
      end();
      release();
    };
    return reserved;
  };
  Object.assign(sql, { begin: beginCounted, reserve: reserveCounted });
}
