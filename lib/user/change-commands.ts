import { and, eq, isNull, ne, sql } from "drizzle-orm";
import { z } from "zod";
import type { Database } from "@/db/client";
import { users } from "@/db/schema";
import { isUniqueViolation } from "@/db/sql-state";
import { AppError } from "@/lib/errors";
import { parseInput } from "@/lib/validation";
import { userFields } from "./queries";
import { displayNameSchema, usernameSchema } from "./schemas";
import type { User } from "./types";

/** Reads an account that is not deleted and locks it until the transaction ends. Throws not_found. */
export async function lockUser(tx: Database, id: number): Promise<User> {
  const [row] = await tx
    .select(userFields)
    .from(users)
    .where(and(eq(users.id, id), isNull(users.deletedAt)))
    .for("update");
  if (!row) throw new AppError("not_found", "userNotFound");
  return row;
}

const namesSchema = z.object({ username: usernameSchema.optional(), displayName: displayNameSchema.optional() });

/**
 * The names that change, validated as new names. An unchanged name may be older than the rules. An empty user name
 * means "unchanged".
 */
export function newNames(
  before: { username: string; displayName: string },
  given: { username?: string | undefined; displayName?: string | undefined },
): { username?: string; displayName?: string } {
  const changed = {
    ...(given.username && given.username !== before.username ? { username: given.username } : {}),
    ...(given.displayName !== undefined && given.displayName !== before.displayName
      ? { displayName: given.displayName }
      : {}),
  };
  const { username, displayName } = parseInput(namesSchema, changed);
  return { ...(username === undefined ? {} : { username }), ...(displayName === undefined ? {} : { displayName }) };
}

/** Throws conflict when another account has the name, deleted ones included. */
export async function assertUsernameFree(tx: Database, username: string, ownId: number): Promise<void> {
  const [taken] = await tx
    .select({ id: users.id })
    .from(users)
    .where(and(eq(sql`lower(${users.username})`, username.toLowerCase()), ne(users.id, ownId)));
  if (taken) throw usernameTaken();
}

export function usernameTaken(cause?: unknown): AppError {
  return new AppError("conflict", "usernameTaken", { field: "username" }, cause);
}

/** Runs a change of names; a name that was taken between the read and the write is a conflict too. */
export async function renaming<Result>(change: () => Promise<Result>): Promise<Result> {
  try {
    return await change();
  } catch (error) {
    if (isUniqueViolation(error)) throw usernameTaken(error);
    throw error;
  }
}
