import type { Source } from "../types";
import { openMysql } from "./mysql";
import { openPostgres } from "./postgres";
import { openSqlite } from "./sqlite";

/** Opens `sqlite:FILE`, `mysql://…` or `postgres://…` for reading. What it throws never has the password in it. */
export async function openSource(address: string): Promise<Source> {
  if (address.startsWith("sqlite:")) return openSqlite(address.slice("sqlite:".length).replace(/^\/\/(?=\/)/, ""));
  if (!URL.canParse(address))
    throw new Error("--from is sqlite:FILE, mysql://USER:PASSWORD@HOST/DATABASE or postgres://…");
  const url = new URL(address);
  const where = `${url.protocol}//${url.host}${url.pathname}`;
  const open = OPENERS[url.protocol];
  if (!open) throw new Error(`--from starts with sqlite:, mysql:// or postgres://, not ${url.protocol}`);
  try {
    return await open(url);
  } catch (error) {
    throw new Error(`${where} cannot be read: ${withoutPassword(error, url)}`);
  }
}

const OPENERS: Record<string, (url: URL) => Promise<Source>> = {
  "mysql:": openMysql,
  "mariadb:": openMysql,
  "postgres:": openPostgres,
  "postgresql:": openPostgres,
};

function withoutPassword(error: unknown, { password }: URL): string {
  const text =
    error instanceof Error ? error.message || String(Reflect.get(error, "code") ?? error.name) : String(error);
  return [password, decodeURIComponent(password)]
    .filter(Boolean)
    .reduce((kept, secret) => kept.replaceAll(secret, "***"), text);
}
