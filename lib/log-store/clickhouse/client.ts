import { type ClickHouseClient, ClickHouseError, ClickHouseLogLevel, createClient } from "@clickhouse/client";
import type { LogStoreConfig } from "../config";
import { identifier, literal } from "./escape";

const REQUEST_MS = 30_000;
const LONGEST_MS = 3_600_000;
/** A statement may have a list of the hours of ten years, each with its users. */
const LONG_STATEMENTS = {
  max_query_size: 4 * 1_048_576,
  max_ast_elements: 500_000,
  max_expanded_ast_elements: 500_000,
};
/** A server that did not answer is asked last for so long. */
const AWAY_MS = 10_000;
/** How long the shard of a server is believed: clusters are rearranged, though rarely. */
const SHARD_MS = 300_000;

/** One server of the log store. */
export type LogServer = {
  /** http://host:port */
  address: string;
  client: ClickHouseClient;
  /** From 1 on, by the cluster's configuration; 1 without a cluster. Throws when the server cannot be asked. */
  shard: () => Promise<number>;
  /** Until when (ms) it is asked last. */
  awayUntil: number;
};

export type StatementOptions = { queryId?: string; timeoutMs?: number; settings?: Record<string, string | number> };

export type LogStore = {
  config: LogStoreConfig;
  servers: LogServer[];
  /** Rows of a select. 64-bit integers come as text. Asks the next server when one is away. */
  query: <Row>(statement: string, options?: StatementOptions) => Promise<Row[]>;
  end: () => Promise<void>;
};

/** No server of the log store, or of a shard, could be reached. */
export class LogStoreAway extends Error {
  override name = "LogStoreAway";

  /** By its name, as AppError: the log store of a process is shared between bundles. */
  static override [Symbol.hasInstance](value: unknown): value is LogStoreAway {
    return value instanceof Error && value.name === "LogStoreAway";
  }
}

/** Connects on the first statement. */
export function createLogStore(config: LogStoreConfig): LogStore {
  const servers = config.servers.map((address) => serverOf(address, config));
  return {
    config,
    servers,
    query: (statement, options) => firstOf(servers, (server) => queryOn(server, statement, options)),
    async end() {
      await Promise.all(servers.map(({ client }) => client.close()));
    },
  };
}

function clientOf(address: string, { username, password }: LogStoreConfig, database: string): ClickHouseClient {
  return createClient({
    url: address,
    username,
    password,
    database,
    application: "weir",
    // Each statement has a limit of its own.
    request_timeout: LONGEST_MS,
    log: { level: ClickHouseLogLevel.OFF },
    max_open_connections: 8,
    // Servers close idle connections after 3 seconds by default.
    keep_alive: { enabled: true, idle_socket_ttl: 1_500 },
  });
}

/** Every statement names the database of its connection, and fails where there is none. */
async function outsideDatabase<Result>(
  { address }: LogServer,
  config: LogStoreConfig,
  run: (server: LogServer) => Promise<Result>,
): Promise<Result> {
  const outside = serverOf(address, { ...config, database: "system" });
  try {
    return await run(outside);
  } finally {
    await outside.client.close();
  }
}

/** Whether the database of the configuration is there. */
export async function hasDatabase(server: LogServer, config: LogStoreConfig): Promise<boolean> {
  const statement = `select name from system.databases where name = ${literal(config.database)}`;
  const rows = await outsideDatabase(server, config, (outside) => queryOn(outside, statement));
  return rows.length > 0;
}

export async function createStoreDatabase(server: LogServer, config: LogStoreConfig): Promise<void> {
  const statement = `create database if not exists ${identifier(config.database)}`;
  await outsideDatabase(server, config, (outside) => commandOn(outside, statement));
}

function serverOf(address: string, config: LogStoreConfig): LogServer {
  const client = clientOf(address, config, config.database);
  let known: { shard: number; until: number } | null = null;
  const server: LogServer = {
    address,
    client,
    awayUntil: 0,
    async shard() {
      if (config.cluster === null) return 1;
      if (known && known.until > Date.now()) return known.shard;
      const shard = await readShard(server, config.cluster);
      known = { shard, until: Date.now() + SHARD_MS };
      return shard;
    },
  };
  return server;
}

/**
 * The shard of a server: what the cluster's configuration says of it. Where the servers ask each other with a user of their own,
 * none is "local" there, and the macro counts, which the replicated table has in its name.
 */
async function readShard(server: LogServer, cluster: string): Promise<number> {
  const rows = await queryOn<{ shard: string | number }>(
    server,
    `select shard_num as shard from system.clusters where cluster = ${literal(cluster)} and is_local
     union all
     select toUInt32(toUInt32OrZero(substitution)) as shard from system.macros where macro = 'shard'
       and toUInt32OrZero(substitution) in (select shard_num from system.clusters where cluster = ${literal(cluster)})`,
  );
  const shards = new Set(rows.map(({ shard }) => Number(shard)));
  const [shard = 0] = shards;
  if (shards.size === 1 && shard > 0) return shard;
  throw new Error(
    `${server.address} must say which shard of the cluster "${cluster}" it is: by the macro "shard", a number from 1 on`,
  );
}

/** Rows of a select at one server. Throws LogStoreAway when it cannot be reached. */
export async function queryOn<Row>(server: LogServer, statement: string, options?: StatementOptions): Promise<Row[]> {
  return reaching(server, options, async (settings) => {
    const result = await server.client.query({ query: statement, format: "JSONEachRow", ...settings });
    return await result.json<Row>();
  });
}

/** A statement without rows at one server, e.g. of a migration. */
export async function commandOn(server: LogServer, statement: string, options?: StatementOptions): Promise<void> {
  await reaching(server, options, (settings) => server.client.command({ query: statement, ...settings }));
}

/** Inserts rows as one block. */
export async function insertOn(
  server: LogServer,
  { table, rows, ...options }: StatementOptions & { table: string; rows: readonly object[] },
): Promise<void> {
  await reaching(server, options, (settings) =>
    server.client.insert({ table, values: [...rows], format: "JSONEachRow", ...settings }),
  );
}

type Settings = {
  clickhouse_settings: Record<string, string | number>;
  query_id?: string;
  abort_signal: AbortSignal;
};

async function reaching<Result>(
  server: LogServer,
  { queryId, timeoutMs = REQUEST_MS, settings = {} }: StatementOptions = {},
  run: (settings: Settings) => Promise<Result>,
): Promise<Result> {
  try {
    const result = await run({
      clickhouse_settings: {
        output_format_json_quote_64bit_integers: 1,
        ...LONG_STATEMENTS,
        ...settings,
      },
      ...(queryId === undefined ? {} : { query_id: queryId }),
      abort_signal: AbortSignal.timeout(timeoutMs),
    });
    server.awayUntil = 0;
    return result;
  } catch (error) {
    // What the server itself has said is no matter of reaching it.
    if (codeOf(error) !== null) throw error;
    server.awayUntil = Date.now() + AWAY_MS;
    throw new LogStoreAway(`${server.address} cannot be reached`, { cause: error });
  }
}

/** ClickHouse's code of an error that the server itself has told; null = it has told none. Old servers write it otherwise. */
export function codeOf(error: unknown): number | null {
  if (error instanceof ClickHouseError) return Number(error.code);
  const [, code] = /^Code: (\d+)[,.]/.exec(error instanceof Error ? error.message : "") ?? [];
  return code === undefined ? null : Number(code);
}

/** Asks one server after the other until one can be reached; those that were away lately come last. */
export async function firstOf<Result>(
  servers: readonly LogServer[],
  run: (server: LogServer) => Promise<Result>,
): Promise<Result> {
  const now = Date.now();
  const inOrder = [...servers].sort((a, b) => Number(a.awayUntil > now) - Number(b.awayUntil > now));
  let last: unknown = new LogStoreAway("there is no server");
  for (const server of inOrder) {
    try {
      return await run(server);
    } catch (error) {
      if (!(error instanceof LogStoreAway)) throw error;
      last = error;
    }
  }
  throw last;
}

/** The servers of each shard, by its number. Servers that cannot be asked are left out. */
export async function shardsOf(store: LogStore): Promise<Map<number, LogServer[]>> {
  const shards = new Map<number, LogServer[]>();
  const found = await Promise.all(
    store.servers.map(async (server) => ({ server, shard: await server.shard().catch(ignoreAway) })),
  );
  for (const { server, shard } of found) if (shard !== null) shards.set(shard, [...(shards.get(shard) ?? []), server]);
  return shards;
}

/** How many shards the cluster's configuration has, whether they are up or not; 1 without a cluster. */
export async function countShards({ config, query }: LogStore): Promise<number> {
  if (config.cluster === null) return 1;
  const rows = await query<{ shards: string | number }>(
    `select max(shard_num) as shards from system.clusters where cluster = ${literal(config.cluster)}`,
  );
  const shards = Number(rows[0]?.shards ?? 0);
  if (!(shards > 0)) throw new Error(`the servers have no cluster "${config.cluster}" in their configuration`);
  return shards;
}

function ignoreAway(error: unknown): null {
  if (error instanceof LogStoreAway) return null;
  throw error;
}
