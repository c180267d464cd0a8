import { DrizzleQueryError } from "drizzle-orm/errors";
import postgres from "postgres";
import { ARRAY_TYPES } from "./array-types";
import { type DatabaseAddress, readDatabaseAddress } from "./database-address";

type Options = NonNullable<Parameters<typeof postgres>[1]> & {
  /**
   * A statement on which nothing is heard for this many seconds fails with CONNECTION_SILENT, and its connection is closed
   * (patches/README.md). The server's own time limits do not help when it is the server that cannot be reached.
   */
  silence_timeout?: number;
  /** Whether the server is at work on the statement of this backend; then it is waited for longer. */
  onsilent?: (backendPid: number) => Promise<boolean>;
  /** The types of arrays, so that no connection asks its server for them (patches/README.md). */
  array_types?: typeof ARRAY_TYPES;
};

const SESSION_CONNECT_SECONDS = 10;

const LIFE_SECONDS = { min: 300, max: 600 };
/** The driver asks it for each connection; its types know numbers only. */
const lifeOfEach = (): number => LIFE_SECONDS.min + Math.random() * (LIFE_SECONDS.max - LIFE_SECONDS.min);

/** For every client, so that it is back within a second of its server. */
const DEFAULTS = {
  array_types: ARRAY_TYPES,
  // What a name leads to changes without a word, so no connection lives long; not all of them end at once.
  max_lifetime: lifeOfEach as unknown as number,
  // An idle connection whose peer is gone is noticed within 15 s: after 5 s the kernel asks every second, ten times.
  keep_alive: 5,
  backoff: (retries: number): number => Math.min(0.05 * 2 ** Math.min(retries, 5), 0.5),
};

/** Which servers a client may end up at. */
type Wanted = {
  /** A replica will do. Otherwise only a server that takes writes is used, whatever a name leads to. */
  isReplica?: boolean | undefined;
  /** The address leads to a pooler, which may say of a server what was true of the one before. */
  isPooled?: boolean | undefined;
};

/**
 * What a server must be. `read-write` of an address becomes `primary`: of a hot standby the setting that the driver looks at
 * says that it takes writes. `any` is no word of the driver's, and means nothing else than to give none.
 */
function wantedServer(
  given: DatabaseAddress["target"] = "any",
  { isReplica = false, isPooled = false }: Wanted,
): Pick<Options, "target_session_attrs"> {
  if (given !== "any" && given !== "read-write") return { target_session_attrs: given };
  return isReplica || isPooled ? {} : { target_session_attrs: "primary" };
}

/** What pg_stat_activity shows at most. */
const NAME_LENGTH_MAX = 63;

/**
 * A postgres.js client for a `DATABASE_URL`, which is read by db/database-address.ts alone. It connects on the first query.
 * Throws an error in words for an address that cannot be used. A server that is in recovery is refused with SERVER_UNSUITABLE, unless
 * `isReplica`.
 */
export function connect(url: string, { isReplica, isPooled, ...settings }: Options & Wanted): postgres.Sql {
  const address = readDatabaseAddress(url);
  const { hosts, ports, folder, user, password, database, target, connectSeconds, keepAliveSeconds } = address;
  const given = { ...DEFAULTS, ...wantedServer(target, { isReplica, isPooled }), ...settings };
  const connection = { ...given.connection, ...address.session };
  const name = `${given.connection?.application_name ?? "weir"} ${address.applicationName}`.trim();
  return postgres({
    ...given,
    ...(folder === null ? { host: hosts, port: ports } : { path: `${folder}/.s.PGSQL.${ports[0]}` }),
    ...(user === undefined ? {} : { user }),
    ...(database === undefined ? {} : { database }),
    // Without it the driver would look for PGPASSWORD, which the reader has done.
    pass: password ?? "",
    ssl: address.ssl,
    ...(address.sslNegotiation === null ? {} : { sslnegotiation: address.sslNegotiation }),
    ...(address.prepare ? {} : { prepare: false }),
    ...(connectSeconds === undefined ? {} : { connect_timeout: connectSeconds }),
    ...(keepAliveSeconds === undefined ? {} : { keep_alive: keepAliveSeconds }),
    connection: { ...connection, application_name: name.slice(0, NAME_LENGTH_MAX) },
  } as unknown as Options);
}

type LikeOptions = Pick<
  Options,
  "max" | "max_lifetime" | "idle_timeout" | "connect_timeout" | "silence_timeout" | "onclose"
> & { applicationName: string; onnotify?: (channel: string, text: string) => void };

/** Of clients whose address leads to a pooler: that of PostgreSQL itself. By their options, which transactions share. */
const directUrls = new WeakMap<object, string>();

export function rememberDirectUrl(sql: postgres.Sql, directUrl: string): void {
  directUrls.set(sql.options, directUrl);
}

/**
 * Another client of the same database and account, in the way that postgres.js opens its own for LISTEN. Never through a
 * pooler: it is for what needs a session of its own.
 */
export function connectLike(sql: postgres.Sql, { applicationName, ...options }: LikeOptions): postgres.Sql {
  const directUrl = directUrls.get(sql.options);
  if (directUrl !== undefined) {
    return connect(directUrl, { onnotice: () => {}, ...options, connection: { application_name: applicationName } });
  }
  const known = sql.options as unknown as { connection: object };
  const connection = { ...known.connection, application_name: applicationName };
  return postgres({ ...known, onsilent: undefined, ...options, connection } as unknown as Options);
}

export type Session = { sql: postgres.ReservedSql; release: () => Promise<void> };

/** A session that nobody else uses until it is released, e.g. for a lock that outlives a transaction. */
export async function openSession(sql: postgres.Sql, applicationName: string): Promise<Session> {
  if (!directUrls.has(sql.options)) {
    const reserved = await sql.reserve();
    return { sql: reserved, release: async () => reserved.release() };
  }
  const own = connectLike(sql, { max: 1, applicationName, connect_timeout: SESSION_CONNECT_SECONDS });
  try {
    const reserved = await own.reserve();
    return { sql: reserved, release: () => own.end({ timeout: 0 }) };
  } catch (error) {
    await own.end({ timeout: 0 });
    throw error;
  }
}

/**
 * Errors never hold a statement's values, whoever prints them: Drizzle writes the parameters into its message, PostgreSQL
 * the conflicting row into `detail`, `where` and `hint`. The classes assign these properties, so accessors on their
 * prototypes replace them before anybody sees the error.
 */
Object.defineProperty(DrizzleQueryError.prototype, "params", {
  configurable: true,
  get: () => [],
  set(this: DrizzleQueryError) {
    this.message = `Failed query: ${this.query}`;
  },
});
for (const name of ["detail", "where", "hint"]) {
  Object.defineProperty(postgres.PostgresError.prototype, name, { configurable: true, get: () => undefined, set() {} });
}
