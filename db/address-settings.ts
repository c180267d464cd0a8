import { AddressProblem, readTls, TLS_NAMES, type TlsSettings } from "./address-tls";

/** What the parameters of an address ask for. */
export type AddressSettings = TlsSettings & {
  /** Settings of each session, by their names in PostgreSQL. */
  session: Record<string, string>;
  /** Shown behind Weir's own name in pg_stat_activity. */
  applicationName: string;
  /** False = the address says that statements must not be prepared. */
  prepare: boolean;
  /** The address says that it leads to a pooler such as PgBouncer. */
  isPooled: boolean;
  /** Undefined = the address does not say. */
  target: Target | undefined;
  connectSeconds: number | undefined;
  keepAliveSeconds: number | undefined;
};

type Target = "any" | "read-write" | "read-only" | "primary" | "standby" | "prefer-standby";
type Where = { hosts: string[]; folder: string | null };

const PLACE = new Set(["host", "hostaddr", "port", "user", "password", "dbname"]);

/** Other clients' names of the same thing, in lower case. */
const SAME: Record<string, string> = {
  applicationname: "application_name",
  logintimeout: "connect_timeout",
  connecttimeout: "connect_timeout",
  database: "dbname",
  username: "user",
  keepalivesidle: "keepalives_idle",
  targetservertype: "target_session_attrs",
  currentschema: "schema",
  prepared_statement_cache_size: "statement_cache_size",
  preparestatementcachesize: "statement_cache_size",
  preparedstatementcachequeries: "statement_cache_size",
  statement_cache_capacity: "statement_cache_size",
  preparethreshold: "statement_cache_size",
  prepare_threshold: "statement_cache_size",
};

/** Settings of PostgreSQL that an address may set for every session, and that change nothing of what Weir relies on. */
const SESSION = new Set([
  ...[
    "options",
    "search_path",
    "role",
    "timezone",
    "synchronous_commit",
    "work_mem",
    "maintenance_work_mem",
    "temp_buffers",
  ],
  ...["jit", "random_page_cost", "effective_cache_size", "idle_in_transaction_session_timeout"],
  ...["tcp_keepalives_idle", "tcp_keepalives_interval", "tcp_keepalives_count"],
]);

/** Parameters that ask for what Weir does anyway, with the values for which that is so. */
const ALREADY: Record<string, readonly string[] | null> = {
  channel_binding: ["prefer", "disable"],
  client_encoding: ["utf8", "utf-8", "unicode", "auto"],
  fallback_application_name: null,
  gssencmode: ["disable", "prefer"],
  keepalives: ["1", "true"],
  keepalives_count: null,
  keepalives_interval: null,
  load_balance_hosts: ["disable"],
  replication: ["false", "off", "no", "0"],
  sslcompression: ["0"],
  tcp_user_timeout: null,
  tcpkeepalive: ["true"],
};

const POOLS = "Weir sizes its pools by itself; WEIR_GATEWAY_WORKERS says how many processes have some. Leave it out.";
const OWN = "Weir sets it for each of its connections by itself. Leave it out.";
/** Parameters that would be ignored otherwise, and what to write instead. */
const REFUSED: Record<string, string> = {
  connection_limit: POOLS,
  pool_timeout: POOLS,
  pool_size: POOLS,
  max_overflow: POOLS,
  max: POOLS,
  min_pool_size: POOLS,
  max_pool_size: POOLS,
  pool_max_conns: POOLS,
  pool_min_conns: POOLS,
  idle_timeout: POOLS,
  max_lifetime: POOLS,
  statement_timeout: OWN,
  lock_timeout: OWN,
  query_timeout: OWN,
  socket_timeout: OWN,
  sockettimeout: OWN,
  default_transaction_isolation: OWN,
  default_transaction_read_only: OWN,
  passfile: "Put the password into the address, or into PGPASSWORD.",
  service: "Write host, port, user and database into the address instead of the name of a service.",
  servicefile: "Write host, port, user and database into the address instead of the name of a service.",
  sslidentity: "It is Prisma's PKCS #12 file. Convert it to PEM (openssl pkcs12) and write sslcert=FILE&sslkey=FILE.",
  requirepeer: "It is not supported. Leave it out.",
  require_auth: "It is not supported. Set the method in the server's pg_hba.conf, and leave it out.",
  krbsrvname: "Kerberos is not supported. Use a password or a certificate, and leave it out.",
  gsslib: "Kerberos is not supported. Use a password or a certificate, and leave it out.",
  gssdelegation: "Kerberos is not supported. Use a password or a certificate, and leave it out.",
};

/** The values of a few that are wrong in a way that needs its own words. */
const REFUSED_VALUES: Record<string, string> = {
  channel_binding:
    "channel_binding=require is not supported. Write channel_binding=prefer; sslmode=verify-full proves who the server is.",
  gssencmode: "gssencmode=require is not supported. Write gssencmode=disable and an sslmode.",
  load_balance_hosts: "load_balance_hosts=random is not supported. Leave it out: the hosts are tried in their order.",
};

const TARGETS: Record<string, Target> = {
  any: "any",
  "read-write": "read-write",
  "read-only": "read-only",
  primary: "primary",
  standby: "standby",
  "prefer-standby": "prefer-standby",
  master: "primary",
  secondary: "standby",
  slave: "standby",
  prefersecondary: "prefer-standby",
  preferslave: "prefer-standby",
};

type Read = {
  /** What of the parameters says where the server is, and who connects. */
  place: Map<string, string>;
  settings: (where: Where, tlsHost: string | undefined) => AddressSettings;
};

/** Reads the parameters of an address; of one that is named twice, the last counts. Throws AddressProblem. */
export function readSettings(parameters: [string, string][]): Read {
  const given = new Map<string, string>();
  for (const [name, value] of parameters) {
    const lower = name.toLowerCase();
    given.set(SAME[lower] ?? lower, value);
  }
  const place = new Map([...given].filter(([name]) => PLACE.has(name)));
  const rest = new Map([...given].filter(([name]) => !PLACE.has(name)));
  return { place, settings: (where, tlsHost) => settingsOf(rest, where, tlsHost) };
}

function settingsOf(given: Map<string, string>, where: Where, tlsHost: string | undefined): AddressSettings {
  const target = given.get("target_session_attrs");
  const read: AddressSettings = {
    ...readTls(given, { ...where, tlsHost }),
    session: {},
    applicationName: given.get("application_name") ?? process.env.PGAPPNAME ?? "",
    prepare: true,
    isPooled: false,
    target: target === undefined ? undefined : oneOf("target_session_attrs", target, TARGETS),
    connectSeconds: secondsOf("connect_timeout", given),
    keepAliveSeconds: secondsOf("keepalives_idle", given),
  };
  for (const [name, value] of given) take(name, value, read);
  return read;
}

const KNOWN = new Set<string>([
  "application_name",
  "target_session_attrs",
  "connect_timeout",
  "keepalives_idle",
  ...TLS_NAMES,
]);

function take(name: string, value: string, read: AddressSettings): void {
  if (KNOWN.has(name)) return;
  const refusal = REFUSED[name];
  if (refusal !== undefined) throw new AddressProblem(`has the parameter ${name}. ${refusal}`);
  if (Object.hasOwn(ALREADY, name)) {
    assertAlready(name, value);
    return;
  }
  if (SESSION.has(name)) read.session[name] = value;
  else if (name === "schema") read.session.search_path = value.split(",").map(quoteName).join(",");
  else if (name === "pgbouncer") read.isPooled = read.isPooled || isTrue(name, value);
  else if (name === "prepare") read.prepare = isTrue(name, value);
  else if (name === "no_prepare") read.prepare = !isTrue(name, value);
  else if (name === "statement_cache_size") read.prepare = numberOf(name, value) !== 0;
  else
    throw new AddressProblem(`has the parameter ${name}, which Weir does not know. Leave it out, or correct its name.`);
  if (read.isPooled) read.prepare = false;
}

function assertAlready(name: string, value: string): void {
  const values = ALREADY[name];
  if (!values || values.includes(value.toLowerCase())) return;
  throw new AddressProblem(`cannot be used: ${REFUSED_VALUES[name] ?? `${name} must be ${values.join(" or ")}.`}`);
}

function oneOf<Value>(name: string, value: string, values: Record<string, Value>): Value {
  const key = value.toLowerCase();
  const found = Object.hasOwn(values, key) ? values[key] : undefined;
  if (found !== undefined) return found;
  throw new AddressProblem(
    `has a ${name} that there is not. It must be one of ${Object.keys(values).slice(0, 6).join(", ")}.`,
  );
}

function isTrue(name: string, value: string): boolean {
  const flags = { true: true, "1": true, yes: true, on: true, false: false, "0": false, no: false, off: false };
  const flag = flags[value.toLowerCase() as keyof typeof flags];
  if (flag === undefined) throw new AddressProblem(`has the parameter ${name}, which must be true or false.`);
  return flag;
}

function numberOf(name: string, value: string): number {
  if (/^-?\d{1,9}$/.test(value)) return Number(value);
  throw new AddressProblem(`has the parameter ${name}, which must be a whole number.`);
}

/** As in libpq zero and less mean no limit, and one second is too short to mean anything. */
function secondsOf(name: string, given: Map<string, string>): number | undefined {
  const value = given.get(name);
  if (value === undefined) return undefined;
  const seconds = numberOf(name, value);
  return seconds <= 0 ? 0 : Math.max(seconds, 2);
}

function quoteName(name: string): string {
  const plain = name.trim();
  return /^[a-z_][a-z0-9_]*$/.test(plain) ? plain : `"${plain.replaceAll('"', '""')}"`;
}
