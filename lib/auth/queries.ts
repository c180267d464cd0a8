import { and, eq, isNull, or, sql } from "drizzle-orm";
import type { Database } from "@/db/client";
import { users } from "@/db/schema";

/** The columns that access checks need. */
export type AccountRow = {
  id: number;
  username: string;
  displayName: string;
  role: number;
  status: number;
  group: string;
  sessionVersion: number;
  initialPassword: boolean;
};

export const accountFields = {
  id: users.id,
  username: users.username,
  displayName: users.displayName,
  role: users.role,
  status: users.status,
  group: users.group,
  sessionVersion: users.sessionVersion,
  initialPassword: sql<boolean>`${users.initialPassword} <> 0`,
};

/** An account that is not deleted, or null. */
export async function findAccount(db: Database, id: number): Promise<AccountRow | null> {
  const [row] = await db
    .select(accountFields)
    .from(users)
    .where(and(eq(users.id, id), isNull(users.deletedAt)));
  return row ?? null;
}

export async function findAccountByAccessToken(db: Database, accessTokenHash: string): Promise<AccountRow | null> {
  const [row] = await db
    .select(accountFields)
    .from(users)
    .where(and(eq(users.accessTokenHash, accessTokenHash), isNull(users.deletedAt)));
  return row ?? null;
}

/** Finds an account by user name or e-mail address, with its password hash; a user name takes precedence. */
export async function findAccountByLogin(
  db: Database,
  login: string,
): Promise<(AccountRow & { passwordHash: string | null }) | null> {
  const wanted = login.toLowerCase();
  const [row] = await db
    .select({ ...accountFields, passwordHash: users.passwordHash })
    .from(users)
    .where(
      and(
        or(eq(sql`lower(${users.username})`, wanted), eq(sql`lower(${users.email})`, wanted)),
        isNull(users.deletedAt),
      ),
    )
    .orderBy(sql`(lower(${users.username}) = ${wanted}) desc`)
    .limit(1);
  return row ?? null;
}
