import { DrizzleQueryError } from "drizzle-orm/errors";
import postgres from "postgres";

type Options = NonNullable<Parameters<typeof postgres>[1]>;

const DEFAULT_PORT = "5432";

/**
 * A postgres.js client for a `DATABASE_URL`. As in libpq, `?host=/folder` means the Unix socket in that folder. It
 * connects on the first query.
 */
export function connect(url: string, options: Options): postgres.Sql {
  const folder = URL.canParse(url) ? new URL(url).searchParams.get("host") : null;
  if (!folder?.startsWith("/")) return postgres(url, options);
  const address = new URL(url);
  address.searchParams.delete("host");
  return postgres(address.href, { ...options, path: `${folder}/.s.PGSQL.${address.port || DEFAULT_PORT}` });
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
