import { createDatabase } from "@/db/client";

/** A variable of the environment with the address of a database. */
type Name = "DATABASE_URL" | "DATABASE_DIRECT_URL";

/** A value that nobody would choose. A session has it if what is set on connecting stays. */
const PROBE_MS = 3_456_789;

/**
 * Connects once. Throws an error that says what is wrong with the address or the server, and what to do. A pooler that
 * gives each transaction another session is no answer, unless it is expected.
 */
export async function assertDatabaseAnswers(
  url: string,
  name: Name = "DATABASE_URL",
  { isPooled = false }: { isPooled?: boolean } = {},
): Promise<void> {
  assertUrl(url, name);
  const pool = isPooled ? { directUrl: url } : { statementTimeoutMs: PROBE_MS };
  const { sql, end } = createDatabase({ url, max: 1, applicationName: "weir-check", ...pool });
  try {
    const [row] = await sql<{ kept: boolean }[]>`
      select setting::bigint = ${PROBE_MS}::bigint as kept from pg_settings where name = 'statement_timeout'`;
    if (!isPooled && row?.kept !== true) throw new Error(POOLER);
  } catch (error) {
    throw new Error(inWords(error, url, name), { cause: error });
  } finally {
    await end();
  }
}

const POOLER = "forgets what a connection sets";

/** A pooler either ignores what it cannot keep for each caller, or refuses it. */
function isPooler({ message }: Error): boolean {
  return message === POOLER || message.includes("unsupported startup parameter");
}

/** Loosely: postgres.js also knows several hosts, which are no URL. */
function assertUrl(url: string, name: Name): void {
  if (/^postgres(ql)?:\/\//.test(url)) return;
  throw new Error(
    `${name} must look like postgres://USER:PASSWORD@HOST:5432/DATABASE. In a password write %40 for @, %2F for /, %23 for #.`,
  );
}

function inWords(error: unknown, url: string, name: Name): string {
  const { code, message } = error as { code?: string; message: string };
  if (error instanceof Error && isPooler(error)) return poolerInWords(name);
  if (!URL.canParse(url)) return `${name}: ${message}`;
  const { hostname, port, searchParams, pathname, username } = new URL(url);
  const place = searchParams.get("host") ?? `${hostname}:${port || 5432}`;
  const database = decodeURIComponent(pathname.slice(1));
  const account = decodeURIComponent(username);
  switch (code) {
    case "ECONNREFUSED":
    case "ENOENT":
      return `PostgreSQL does not answer at ${place}. Start it, or correct ${name}.`;
    case "CONNECT_TIMEOUT":
    case "ETIMEDOUT":
    case "EHOSTUNREACH":
    case "ENETUNREACH":
      return `PostgreSQL cannot be reached at ${place}. Look at listen_addresses and the firewall of its machine, or correct ${name}.`;
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `${name}: there is no machine with the name ${hostname} (${code}).`;
    case "SERVER_UNSUITABLE":
    case "25006":
      return `PostgreSQL at ${place} is a standby, or takes no writes: ${name} must lead to the primary.`;
    case "57P03":
      return `PostgreSQL at ${place} is starting, recovering or stopping: ${message}.`;
    case "53300":
      return `PostgreSQL at ${place} has no connection left: ${message}. Raise its max_connections, or close others.`;
    case "28P01":
      return `PostgreSQL at ${place} refuses the password of "${account}". Correct it in ${name}; in a URL write %40 for @, %2F for /, %23 for #.`;
    case "28000":
      return `PostgreSQL at ${place} does not let "${account}" in: ${message}. Look at its pg_hba.conf.`;
    case "3D000":
      return `PostgreSQL at ${place} has no database "${database}". Make it: createdb --owner ${account} ${database}`;
    default:
      return `PostgreSQL at ${place}: ${message}`;
  }
}

function poolerInWords(name: Name): string {
  const what = `${name} leads to a pooler, such as PgBouncer, that gives each transaction another session`;
  if (name === "DATABASE_DIRECT_URL") return `${what}. It must lead to PostgreSQL itself.`;
  return `${what}. Weir can use it, but needs PostgreSQL itself too: set DATABASE_DIRECT_URL to it (docs/cluster.md).`;
}
