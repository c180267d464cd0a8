import { z } from "zod";

const flag = z
  .string()
  .optional()
  .transform((value) => (value ?? "").trim());

/** True unless the value is "false", "0", "off" or "no". */
const onUnless = z
  .string()
  .optional()
  .transform((value) => !["false", "0", "off", "no"].includes((value ?? "").trim().toLowerCase()));

const schema = z.object({
  NODE_ENV: z.string().default("development"),
  PORT: z.coerce.number().int().min(0).max(65_535).default(3000),
  HOST: z.string().default("0.0.0.0"),
  DATABASE_URL: z.string().optional(),
  /** Where the usage log is kept: clickhouse://…; unset = in PostgreSQL. lib/log-store/config.ts reads it. */
  LOG_STORE_URL: z.string().optional(),
  /** PostgreSQL itself, where DATABASE_URL leads to a pooler such as PgBouncer: for what needs a session of its own. */
  DATABASE_DIRECT_URL: z.string().optional(),
  /** A streaming replica, from which the console reads lists, charts and exports. Unset = all is read from the primary. */
  DATABASE_REPLICA_URL: z.string().optional(),
  /** What a replica may lack at most, in seconds; one that lacks more is not read. */
  WEIR_REPLICA_LAG_SECONDS: z.coerce.number().min(1).max(3_600).default(10),
  /** How long a start waits for a database that is starting, full or not there yet; 0 = not at all. */
  WEIR_DATABASE_WAIT_SECONDS: z.coerce.number().min(0).max(86_400).default(60),
  /** Whether a start applies pending migrations. If not, it refuses a database that lacks them. */
  WEIR_MIGRATE: onUnless,
  WEIR_DATA_DIR: z.string().default(".data"),
  /** Whether the built-in PostgreSQL makes 512 MB of its log's files in advance. */
  WEIR_FILL_WAL: onUnless,
  /** Journals of charges that are not booked yet. Default: `journal` in the data directory. */
  WEIR_JOURNAL_DIR: z.string().optional(),
  /** Where a charge must be before its answer ends: on this machine's disk, or in the database. */
  WEIR_DURABLE_CHARGE: z.enum(["journal", "database"]).default("journal"),
  /** Where rows of the log are archived before they are deleted; unset = nowhere. docs/operations/archives.md. */
  WEIR_ARCHIVE_URL: z.string().optional(),
  WEIR_ARCHIVE_FORMAT: z.enum(["jsonl", "parquet"]).default("jsonl"),
  WEIR_SECRET: z.string().optional(),
  /** Encrypts backups; see docs/operations/backup.md. */
  WEIR_BACKUP_PASSPHRASE: z.string().optional(),
  WEIR_GATEWAY_WORKERS: z.coerce.number().int().min(1).max(256).optional(),
  WEIR_ROLES: z.string().default("gateway,console,worker"),
  WEIR_CONSOLE_PORT: z.coerce.number().int().min(0).max(65_535).optional(),
  WEIR_ROOT_PASSWORD: z.string().optional(),
  /** The supervisor's port for /metrics, and for /healthz and /readyz of all its processes; unset = none. */
  WEIR_METRICS_PORT: z.coerce.number().int().min(0).max(65_535).optional(),
  WEIR_METRICS_HOST: z.string().default("127.0.0.1"),
  /** Whoever asks for /metrics must send it as a bearer token. */
  WEIR_METRICS_TOKEN: z.string().min(16).optional(),
  WEIR_LOG_LEVEL: z.string().default("info"),
  /** The share of relay requests that ended well and have a line in the log, from 0 to 1. All others have theirs. */
  WEIR_REQUEST_LOG: z.coerce.number().min(0).max(1).default(1),
  /** Whether upstreams get the ids of traces; only while tracing is on. */
  WEIR_TRACE_UPSTREAMS: onUnless,
  /** OpenTelemetry's own variables that decide whether it is loaded; its SDK reads the others. */
  OTEL_SDK_DISABLED: z.string().optional(),
  OTEL_TRACES_EXPORTER: z.string().optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: z.string().optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: z.string().optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: z.string().optional(),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: z.string().optional(),
  OTEL_METRICS_EXPORTER: z.string().optional(),
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: z.string().optional(),
  OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: z.string().optional(),
  /** Where Turnstile tokens are verified; change it for a service compatible with Cloudflare's. */
  WEIR_TURNSTILE_URL: z.url().default("https://challenges.cloudflare.com/turnstile/v0/siteverify"),
  /** The script of the human check in the browser; pages may frame its origin while the check is on. */
  WEIR_TURNSTILE_SCRIPT_URL: z.url().default("https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit"),
  /** "true" accepts any certificate of the mail server; for tests and for servers on the operator's own network. */
  WEIR_SMTP_INSECURE: flag,
  /** Calls of /api and the billing pages per client address (contract §1.1); DURATION in seconds. */
  GLOBAL_API_RATE_LIMIT_ENABLE: onUnless,
  GLOBAL_API_RATE_LIMIT: z.coerce.number().int().min(1).default(180),
  GLOBAL_API_RATE_LIMIT_DURATION: z.coerce.number().int().min(1).default(180),
  /** Calls of /api by access token, per account and console process; they do not count for the client's address. */
  ACCESS_TOKEN_RATE_LIMIT: z.coerce.number().int().min(1).default(3_000),
  ACCESS_TOKEN_RATE_LIMIT_DURATION: z.coerce.number().int().min(1).default(60),
  /** The same for signing in, registering, codes and similar calls. */
  CRITICAL_RATE_LIMIT_ENABLE: onUnless,
  CRITICAL_RATE_LIMIT: z.coerce.number().int().min(1).default(20),
  CRITICAL_RATE_LIMIT_DURATION: z.coerce.number().int().min(1).default(1_200),
  /** Minutes between automatic tests of a channel by the worker; 0 = only by hand. */
  CHANNEL_TEST_FREQUENCY: z.coerce.number().min(0).default(0),
  /** Whether the worker asks upstreams how far their tasks are. */
  UPDATE_TASK: onUnless,
  /** Seconds between two channels of a test run. */
  POLLING_INTERVAL: z.coerce.number().min(0).max(3_600).default(0),
  /** Requests to the console that one client address (IPv6: /64) may have open at the same time, per gateway process. */
  WEIR_CONSOLE_REQUESTS_PER_CLIENT: z.coerce.number().int().min(1).default(192),
  /** Comma-separated addresses or CIDR ranges of reverse proxies whose X-Forwarded-* headers are trusted. */
  TRUST_PROXY: flag,
  /** Cohere's safety_mode for requests without tools; NONE = Cohere's own default. */
  COHERE_SAFETY_SETTING: z.enum(["NONE", "CONTEXTUAL", "STRICT", "OFF"]).default("NONE"),
  /** Seconds that running answers get when Weir stops; then they are cut off, and charged for what was delivered. */
  WEIR_DRAIN_SECONDS: z.coerce.number().min(0).max(86_400).default(300),
  /**
   * Seconds between /readyz saying 503 and the end of the usual service, when Weir stops. Default: 5 where something asks
   * /readyz, else 0; after Ctrl-C always 0.
   */
  WEIR_DRAIN_PAUSE_SECONDS: z.coerce.number().min(0).max(3_600).optional(),
  /** Comma-separated private addresses or CIDR ranges that URLs entered by users may point to. */
  WEIR_EGRESS_ALLOW: flag,
  /** Comma-separated name servers for the names in URLs that callers and users enter; empty = the system's. */
  WEIR_EGRESS_DNS: flag,
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

/**
 * The validated process environment; an empty variable counts as unset. Throws an error that names each invalid
 * variable, for an operator to read. Parsed anew on every call.
 */
export function env(): Env {
  const set = ENVIRONMENT_NAMES.flatMap((name) => (process.env[name] ? [[name, process.env[name]] as const] : []));
  const parsed = schema.safeParse(Object.fromEntries(set));
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.map((issue) => `  ${issue.path.join(".")} ${inWords(issue)}`);
  throw new Error(`These settings (environment or .env) cannot be used:\n${lines.join("\n")}`);
}

/** What a value must be. The value itself is left out, because it may be a secret. */
function inWords(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_type") return issue.expected === "int" ? "must be a whole number" : "must be a number";
  if (issue.code === "too_small") {
    return issue.origin === "string"
      ? `needs at least ${issue.minimum} characters`
      : `must be at least ${issue.minimum}`;
  }
  if (issue.code === "too_big") return `must be at most ${issue.maximum}`;
  if (issue.code === "invalid_value") return `must be one of ${issue.values.join(", ")}`;
  if (issue.code === "invalid_format") return "must be a complete URL";
  return issue.message;
}
