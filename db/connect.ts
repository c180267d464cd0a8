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
