import { z } from "zod";
import {
  type AboutVariable,
  number,
  offUnless,
  oneOf,
  onUnless,
  port,
  seconds,
  secret,
  text,
  url,
  whole,
} from "./env-kinds";

/**
 * Every variable that Weir reads, with what it may be and what it is for. docs/operations/environment.md is made from this table;
 * a test compares the two, and fails for code that reads another one.
 */
const schema = z.object({
  NODE_ENV: text("`production` for the built program; `npm start` sets it").default("development"),
  PORT: port("where the gateway listens; the only public port").default(3000),
  HOST: text("the address that it listens at").default("0.0.0.0"),
  DATABASE_URL: secret(
    "a PostgreSQL 15 or newer ([forms](database-addresses.md)); without it Weir runs its own",
  ).optional(),
  LOG_STORE_URL: secret("`clickhouse://…`: the usage log is kept there ([log-store](log-store.md))").optional(),
  DATABASE_DIRECT_URL: secret(
    "PostgreSQL itself, where `DATABASE_URL` leads to a pooler such as PgBouncer: for what needs a session of its own",
  ).optional(),
  DATABASE_REPLICA_URL: secret(
    "a streaming replica, from which the console reads lists, charts and exports",
  ).optional(),
  WEIR_REPLICA_LAG_SECONDS: seconds("a replica that lacks more than this is not read", 1, 3_600).default(10),
  WEIR_DATABASE_WAIT_SECONDS: seconds(
    "how long a start waits for a database that is starting, full or not there yet; 0 = not at all",
    0,
    86_400,
  ).default(60),
  WEIR_MIGRATE: onUnless("whether a start applies migrations; if not, it refuses a database that lacks some"),
  WEIR_DATA_DIR: text("built-in database, generated secret, logs of PostgreSQL, journal of charges").default(".data"),
  WEIR_FILL_WAL: onUnless("whether the built-in PostgreSQL makes 512 MB of its log's files in advance"),
  WEIR_JOURNAL_DIR: text(
    "journals of charges that are not booked yet; unset = `journal` in the data directory",
  ).optional(),
  WEIR_DURABLE_CHARGE: oneOf(
    ["journal", "database"],
    "where a charge must be before its answer ends: on this machine's disk, or in the database",
  ).default("journal"),
  WEIR_ARCHIVE_URL: secret(
    "where rows of the log are archived before they are deleted ([archives](archives.md))",
  ).optional(),
  WEIR_ARCHIVE_FORMAT: oneOf(["jsonl", "parquet"], "the format of archives").default("jsonl"),
  WEIR_SECRET: secret(
    "encrypts stored provider keys and signs sessions; unset = one is made in the data directory",
    16,
  ).optional(),
  WEIR_BACKUP_PASSPHRASE: secret(
    "encrypts backups ([backup](backup.md)); better in a file: `--passphrase-file`",
  ).optional(),
  WEIR_GATEWAY_WORKERS: whole("gateway processes that share the port; unset = one for each core", 1, 256).optional(),
  WEIR_ROLES: text(
    "what this machine runs, from gateway, console and worker",
    "a list of gateway, console and worker",
    isRoles,
  ).default("gateway,console,worker"),
  WEIR_CONSOLE_PORT: port("loopback port between gateway and console; unset = a free one").optional(),
  WEIR_ROOT_PASSWORD: secret(
    "password of `root` at the very first start; unset = one is made and shown once",
  ).optional(),
  WEIR_METRICS_PORT: port(
    "port for /metrics, /healthz and /readyz of all processes ([monitoring](monitoring.md)); unset = none",
  ).optional(),
  WEIR_METRICS_HOST: text("the address that it listens at").default("127.0.0.1"),
  WEIR_METRICS_TOKEN: secret("whoever asks for /metrics must send it as a bearer token", 16).optional(),
  WEIR_LOG_LEVEL: oneOf(
    ["trace", "debug", "info", "warn", "error", "fatal", "silent"],
    "what is written to the log",
  ).default("info"),
  WEIR_REQUEST_LOG: number(
    "the share of requests that ended well and have a log line; all others have theirs",
    0,
    1,
  ).default(1),
  WEIR_TRACE_UPSTREAMS: onUnless("whether upstreams get the ids of traces while tracing is on ([tracing](tracing.md))"),
  OTEL_SDK_DISABLED: text("`true` turns tracing off").optional(),
  OTEL_TRACES_EXPORTER: text("`otlp` or `none`").optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: secret(
    "where traces go ([tracing](tracing.md)); unset = nowhere. Its SDK reads further OTEL_ variables",
  ).optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: secret("the same, for traces alone").optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: text("`http/protobuf` or `http/json`").optional(),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: text("the same, for traces alone").optional(),
  OTEL_METRICS_EXPORTER: text("`otlp` or `none`").optional(),
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: secret("where metrics of models go; unset = nowhere").optional(),
  OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: text("the protocol of metrics alone").optional(),
  OTEL_BSP_MAX_QUEUE_SIZE: text("how many spans wait to be sent at most").optional(),
  OTEL_METRIC_EXPORT_INTERVAL: text("milliseconds between two exports of metrics").optional(),
  WEIR_TURNSTILE_URL: url("where Turnstile tokens (human verification) are verified").default(
    "https://challenges.cloudflare.com/turnstile/v0/siteverify",
  ),
  WEIR_TURNSTILE_SCRIPT_URL: url("its script; pages may frame its origin while the check is on").default(
    "https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit",
  ),
  WEIR_SMTP_INSECURE: offUnless("whether any certificate of the mail server is accepted"),
  GLOBAL_API_RATE_LIMIT_ENABLE: onUnless("whether calls of /api and the billing pages are limited per client address"),
  GLOBAL_API_RATE_LIMIT: whole("so many calls", 1).default(180),
  GLOBAL_API_RATE_LIMIT_DURATION: whole("in so many seconds", 1).default(180),
  ACCESS_TOKEN_RATE_LIMIT: whole(
    "so many calls of /api by access token, per account and console process; they do not count for the client's address",
    1,
  ).default(3_000),
  ACCESS_TOKEN_RATE_LIMIT_DURATION: whole("in so many seconds", 1).default(60),
  CRITICAL_RATE_LIMIT_ENABLE: onUnless("the same for signing in, registering, codes and similar calls"),
  CRITICAL_RATE_LIMIT: whole("so many calls", 1).default(20),
  CRITICAL_RATE_LIMIT_DURATION: whole("in so many seconds", 1).default(1_200),
  CHANNEL_TEST_FREQUENCY: number(
    "minutes between automatic tests of a channel by the worker; 0 = only by hand",
    0,
  ).default(0),
  UPDATE_TASK: onUnless("whether the worker asks upstreams how far their tasks are"),
  POLLING_INTERVAL: seconds("between two channels of a test run", 0, 3_600).default(0),
  WEIR_CONSOLE_REQUESTS_PER_CLIENT: whole(
    "requests to the console that one client address (IPv6: /64) may have open at once, per gateway process",
    1,
  ).default(192),
  TRUST_PROXY: text(
    "reverse proxies whose forwarding headers are believed ([deploy](deploy.md#behind-a-reverse-proxy))",
  ).default(""),
  COHERE_SAFETY_SETTING: oneOf(
    ["NONE", "CONTEXTUAL", "STRICT", "OFF"],
    "Cohere's `safety_mode` for requests without tools; NONE = as Cohere has it",
  ).default("NONE"),
  WEIR_DRAIN_SECONDS: seconds("how long running answers may go on when Weir stops", 0, 86_400).default(300),
  WEIR_DRAIN_PAUSE_SECONDS: seconds(
    "from /readyz saying 503 to the last usual answer; unset = 5 where something asks /readyz, else 0, after Ctrl-C always 0",
    0,
    3_600,
  ).optional(),
  WEIR_EGRESS_ALLOW: text("private addresses or CIDR ranges that URLs entered by users may point to").default(""),
  WEIR_EGRESS_DNS: text(
    "name servers for the names in URLs that callers and users enter; empty = the system's",
  ).default(""),
  HTTPS_PROXY: secret("the proxy of outgoing https connections ([network](network.md)); also `https_proxy`").optional(),
  HTTP_PROXY: secret("the proxy of outgoing http connections; also `http_proxy`").optional(),
  ALL_PROXY: secret("the proxy of both, where there is none of their own; also `all_proxy`").optional(),
  NO_PROXY: text("hosts that are asked without a proxy; also `no_proxy`").default(""),
  https_proxy: secret("as HTTPS_PROXY, and before it").optional(),
  http_proxy: secret("as HTTP_PROXY, and before it").optional(),
  all_proxy: secret("as ALL_PROXY, and before it").optional(),
  no_proxy: text("as NO_PROXY, and before it").default(""),
  NODE_EXTRA_CA_CERTS: text(
    "a PEM file with further certificate authorities ([network](network.md)); Node.js reads it",
  ).optional(),
  WEIR_BASE_PATH: text("refused at the start: Weir is served from a host of its own").optional(),
  WEIR_DEMO: oneOf(["0", "1"], "`1` is what `weir demo` sets").default("0"),
  WEIR_IMPORT_FROM: secret("what `weir import` reads from, instead of `--from`").optional(),
  PGHOST: text("libpq's words for what an address of a database leaves out").optional(),
  PGPORT: port("the same").optional(),
  PGUSER: text("the same").optional(),
  PGPASSWORD: secret("the same").optional(),
  PGDATABASE: text("the same").optional(),
  PGSSLMODE: text("the same").optional(),
  PGAPPNAME: text("the same").optional(),
});

export type Env = z.infer<typeof schema>;

/**
 * WEIR_SECRET without parsing the whole environment, for frequent calls. Throws when it is missing or shorter than 16
 * characters.
 */
export function secretText(): string {
  const secret = process.env.WEIR_SECRET;
  if (!secret || secret.length < 16) throw new Error("WEIR_SECRET must be set to at least 16 characters");
  return secret;
}

/** Whether rows of the usage log go to a log store, without parsing the whole environment. */
export function hasLogStore(): boolean {
  return Boolean(process.env.LOG_STORE_URL);
}

/** PostgreSQL itself, also where DATABASE_URL leads to a pooler; undefined = the built-in one. */
export function directUrlOf(settings: Pick<Env, "DATABASE_URL" | "DATABASE_DIRECT_URL">): string | undefined {
  return settings.DATABASE_DIRECT_URL ?? settings.DATABASE_URL;
}

/** The variables that Weir reads. */
export const ENVIRONMENT_NAMES: readonly string[] = Object.keys(schema.shape);

/** The table of variables, for the page that is made of it. `fallback`: "" = none. */
export function listVariables(): (AboutVariable & { name: string; fallback: string })[] {
  return Object.entries(schema.shape).map(([name, kind]) => {
    const unset = kind.safeParse(undefined);
    const fallback = unset.success && unset.data !== undefined ? String(unset.data) : "";
    return { name, fallback, ...aboutOf(kind) };
  });
}

/**
 * The validated process environment; an empty variable counts as unset. Throws an error that names each invalid
 * variable, for an operator to read. Parsed anew on every call.
 */
export function env(): Env {
  const parsed = schema.safeParse(readSet());
  if (parsed.success) return parsed.data;
  throw new Error(environmentProblem(problemsOf(parsed.error)));
}

/** What of the environment cannot be used, a line for each variable. */
export function environmentProblems(): string[] {
  const parsed = schema.safeParse(readSet());
  return parsed.success ? [] : problemsOf(parsed.error);
}

/** The words that begin each of these errors. */
export function environmentProblem(lines: string[]): string {
  return `These settings (environment or .env) cannot be used:\n${lines.map((line) => `  ${line}`).join("\n")}`;
}

function readSet(): Record<string, string | undefined> {
  return Object.fromEntries(
    ENVIRONMENT_NAMES.flatMap((name) => (process.env[name] ? [[name, process.env[name]] as const] : [])),
  );
}

function problemsOf(error: z.ZodError): string[] {
  const names = [...new Set(error.issues.map(({ path }) => String(path[0])))];
  return names.map((name) => {
    const { allowed, isSecret } = aboutOf(schema.shape[name as keyof Env]);
    return `${name} must be ${allowed}${isSecret ? "" : `; it is ${JSON.stringify((process.env[name] ?? "").slice(0, 80))}`}`;
  });
}

/** A default or an optional value wraps what it is of. */
function aboutOf(kind: z.ZodType): AboutVariable {
  let inner: z.ZodType = kind;
  while (inner instanceof z.ZodDefault || inner instanceof z.ZodOptional) inner = inner.unwrap() as z.ZodType;
  return inner.meta() as AboutVariable;
}

function isRoles(list: string): boolean {
  return list.split(",").every((role) => ["gateway", "console", "worker"].includes(role.trim()));
}
