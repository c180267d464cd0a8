import { createDatabase } from "@/db/client";

/** Connects once. Throws an error that says what is wrong with DATABASE_URL or the server, and what to do. */
export async function assertDatabaseAnswers(url: string): Promise<void> {
  assertUrl(url);
  const { sql, end } = createDatabase({ url, max: 1, applicationName: "weir-check" });
  try {
    await sql`select 1`;
  } catch (error) {
    throw new Error(inWords(error, url), { cause: error });
  } finally {
    await end();
  }
}

/** Loosely: postgres.js also knows several hosts, which are no URL. */
function assertUrl(url: string): void {
  if (/^postgres(ql)?:\/\//.test(url)) return;
  throw new Error(
    "DATABASE_URL must look like postgres://USER:PASSWORD@HOST:5432/DATABASE. In a password write %40 for @, %2F for /, %23 for #.",
  );
}

function inWords(error: unknown, url: string): string {
  const { code, message } = error as { code?: string; message: string };
  if (!URL.canParse(url)) return `DATABASE_URL: ${message}`;
  const { hostname, port, searchParams, pathname, username } = new URL(url);
  const place = searchParams.get("host") ?? `${hostname}:${port || 5432}`;
  const database = decodeURIComponent(pathname.slice(1));
  const account = decodeURIComponent(username);
  switch (code) {
    case "ECONNREFUSED":
    case "ENOENT":
      return `PostgreSQL does not answer at ${place}. Start it, or correct DATABASE_URL.`;
    case "CONNECT_TIMEOUT":
    case "ETIMEDOUT":
    case "EHOSTUNREACH":
    case "ENETUNREACH":
      return `PostgreSQL cannot be reached at ${place}. Look at listen_addresses and the firewall of its machine, or correct DATABASE_URL.`;
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `DATABASE_URL: there is no machine with the name ${hostname} (${code}).`;
    case "28P01":
      return `PostgreSQL at ${place} refuses the password of "${account}". Correct it in DATABASE_URL; in a URL write %40 for @, %2F for /, %23 for #.`;
    case "28000":
      return `PostgreSQL at ${place} does not let "${account}" in: ${message}. Look at its pg_hba.conf.`;
    case "3D000":
      return `PostgreSQL at ${place} has no database "${database}". Make it: createdb --owner ${account} ${database}`;
    default:
      return `PostgreSQL at ${place}: ${message}`;
  }
}
