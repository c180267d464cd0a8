import { describePlace, isPostgresAddress, readDatabaseAddress } from "@/db/database-address";
import type { Source } from "../types";
import { openMysql } from "./mysql";
import { openPostgres } from "./postgres";
import { openSqlite } from "./sqlite";

/**
 * Opens `sqlite:FILE`, `mysql://…` or `postgres://…` for reading. What it throws never has the password in it. `name`: of the
 * argument that holds the address.
 */
export async function openSource(given: string, name = "--from"): Promise<Source> {
  const address = given.trim();
  if (address.startsWith("sqlite:")) return openSqlite(address.slice("sqlite:".length).replace(/^\/\/(?=\/)/, ""));
  if (isPostgresAddress(address)) return openPostgresAt(address, name);
  if (!URL.canParse(address))
    throw new Error(`${name} is sqlite:FILE, mysql://USER:PASSWORD@HOST/DATABASE or postgres://…`);
  const url = new URL(address);
  const where = `${url.protocol}//${url.host}${url.pathname}`;
  if (url.protocol !== "mysql:" && url.protocol !== "mariadb:")
    throw new Error(`${name} starts with sqlite:, mysql:// or postgres://, not ${url.protocol}`);
  try {
    return await openMysql(url);
  } catch (error) {
    throw new Error(`${where} cannot be read: ${withoutPassword(error, url)}`);
  }
}

async function openPostgresAt(address: string, name: string): Promise<Source> {
  const read = readDatabaseAddress(address, name);
  try {
    return await openPostgres(address);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    throw new Error(`postgres://${describePlace(read)}/${read.database ?? ""} cannot be read: ${text}`);
  }
}

function withoutPassword(error: unknown, { password }: URL): string {
  const text =
    error instanceof Error ? error.message || String(Reflect.get(error, "code") ?? error.name) : String(error);
  return [password, decodeURIComponent(password)]
    .filter(Boolean)
    .reduce((kept, secret) => kept.replaceAll(secret, "***"), text);
}
