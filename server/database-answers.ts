import { createDatabase, type DatabaseSettings } from "@/db/client";
import { type DatabaseAddress, describePlace, readDatabaseAddress } from "@/db/database-address";
import { readDatabaseId } from "@/lib/billing/journal-queries";
import type { Env } from "@/lib/env";

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
  const address = readDatabaseAddress(url, name);
  if (address.isPooled && !isPooled) throw new Error(poolerInWords(name));
  const pool = isPooled ? { directUrl: url } : { statementTimeoutMs: PROBE_MS };
  const { sql, end } = createDatabase({ url, max: 1, applicationName: "weir-check", ...pool });
  try {
    const [row] = await sql<{ kept: boolean }[]>`
      select setting::bigint = ${PROBE_MS}::bigint as kept from pg_settings where name = 'statement_timeout'`;
    if (!isPooled && row?.kept !== true) throw new Error(POOLER);
  } catch (error) {
    throw new Error(inWords(error, address, name), { cause: error });
  } finally {
    await end();
  }
}

const POOLER = "forgets what a connection sets";

/** A pooler either ignores what it cannot keep for each caller, or refuses it. */
function isPooler({ message }: Error): boolean {
  return message === POOLER || message.includes("unsupported startup parameter");
}

function inWords(error: unknown, address: DatabaseAddress, name: Name): string {
  const { code, message } = error as { code?: string; message: string };
  if (error instanceof Error && isPooler(error)) return poolerInWords(name);
  const place = describePlace(address);
  const { hosts, user: account = "", database = account, ssl } = address;
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
      return `${name}: there is no machine with the name ${hosts.join(", ")} (${code}).`;
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
      return ssl === false && /no encryption|SSL off/.test(message)
        ? `PostgreSQL at ${place} takes connections with TLS only. Add ?sslmode=require to ${name}.`
        : `PostgreSQL at ${place} does not let "${account}" in: ${message}. Look at its pg_hba.conf.`;
    case "42704":
      return `PostgreSQL at ${place} does not know a setting of ${name}: ${message}. Leave it out.`;
    case "3D000":
      return `PostgreSQL at ${place} has no database "${database}". Make it: createdb --owner ${account} ${database}`;
    case "CONNECTION_CLOSED":
    case "ECONNRESET":
      if (ssl !== false)
        return `PostgreSQL at ${place} closed the connection when it was asked for TLS; it may offer none. Correct sslmode in ${name}.`;
      return `PostgreSQL at ${place} closed the connection without a word. Look whether a proxy in front of it has a server.`;
    default:
      return `PostgreSQL at ${place}: ${message}`;
  }
}

function poolerInWords(name: Name): string {
  const what = `${name} leads to a pooler, such as PgBouncer, that gives each transaction another session`;
  if (name === "DATABASE_DIRECT_URL") return `${what}. It must lead to PostgreSQL itself.`;
  return `${what}. Weir can use it, but needs PostgreSQL itself too: set DATABASE_DIRECT_URL to it (docs/cluster.md).`;
}

type Addresses = Pick<Env, "DATABASE_URL" | "DATABASE_DIRECT_URL">;

/** Throws an error in words unless both addresses answer, lead to one database, and the direct one past any pooler. */
export async function assertDatabaseAddresses({
  DATABASE_URL: url,
  DATABASE_DIRECT_URL: directUrl,
}: Addresses): Promise<void> {
  if (url === undefined) {
    if (directUrl === undefined) return;
    throw new Error("DATABASE_DIRECT_URL is set, but DATABASE_URL is not. Without a pooler set DATABASE_URL only.");
  }
  await assertDatabaseAnswers(url, "DATABASE_URL", { isPooled: directUrl !== undefined });
  if (directUrl === undefined) return;
  await assertDatabaseAnswers(directUrl, "DATABASE_DIRECT_URL");
  const [pooled, direct] = await Promise.all([idOf({ url, directUrl }), idOf({ url: directUrl })]);
  if (pooled === direct) return;
  throw new Error("DATABASE_URL and DATABASE_DIRECT_URL lead to different databases. They must lead to the same one.");
}

async function idOf(address: Pick<DatabaseSettings, "url" | "directUrl">): Promise<string> {
  const { sql, end } = createDatabase({ ...address, max: 1, applicationName: "weir-check" });
  try {
    return await readDatabaseId(sql);
  } finally {
    await end();
  }
}
