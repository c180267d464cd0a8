import { and, eq, isNull, ne, sql } from "drizzle-orm";
import { z } from "zod";
import type { Database } from "@/db/client";
import { users } from "@/db/schema";
import { AppError } from "@/lib/errors";
import { isUniqueViolation } from "@/lib/unique-violation";
import { parseInput } from "@/lib/validation";
import { userFields } from "./queries";
import { displayNameSchema, usernameSchema } from "./schemas";
import type { User } from "./types";

/** Every session of the account ends with it. */
export const nextSessionVersion = sql`${users.sessionVersion} + 1`;

/** An account that is not deregistered, held until the transaction ends. Throws not_found. */
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
 * Of the given names those that are new, checked as new names are; one that stays as it is may be older than the rules.
 * An empty user name means "as it is".
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

/** Throws conflict when somebody else has the name, deregistered accounts too. */
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

/** Runs a change of names; a name that was taken between the look and the write is a conflict as well. */
export async function renaming<Result>(change: () => Promise<Result>): Promise<Result> {
  try {
    return await change();
  } catch (error) {
    if (isUniqueViolation(error)) throw usernameTaken(error);
    throw error;
  }
}
