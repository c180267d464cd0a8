import { and, eq, inArray, sql } from "drizzle-orm";
import { users } from "@/db/schema";
import type { ServiceContext } from "@/lib/context";
import type { UsageLog } from "./columns";

/** An id that no account has: a search for a name that nobody has finds nothing. */
export const NOBODY = -1;

/**
 * The account that has a name now. Searches by name look for the account, in rows and in sums, because the name in a row may be an
 * old one of the account, or one that belonged to another account then. lower() uses the index.
 */
export async function findNamed({ db }: ServiceContext, username: string): Promise<number> {
  const [row] = await db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(sql`lower(${users.username})`, sql`lower(${username})`), eq(users.username, username)));
  return row?.id ?? NOBODY;
}

/** Rows with the names that their accounts have now. A row of no account keeps its own. */
export async function withAccountNames({ db }: ServiceContext, rows: UsageLog[]): Promise<UsageLog[]> {
  const ids = [...new Set(rows.map(({ userId }) => userId))];
  if (ids.length === 0) return rows;
  const found = await db.select({ id: users.id, username: users.username }).from(users).where(inArray(users.id, ids));
  const names = new Map(found.map(({ id, username }) => [id, username]));
  return rows.map((row) => ({ ...row, username: names.get(row.userId) ?? row.username }));
}
