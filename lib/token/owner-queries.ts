import { and, eq, isNull, type SQL } from "drizzle-orm";
import { tokens, users } from "@/db/schema";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { requireProofOfSession } from "@/lib/proof";

/** Whose tokens are read or changed. `isOther`: an administrator acts on an account of a lower role, which is recorded. */
export type TokenOwner = { id: number; group: string; isOther: boolean };

export function ownedBy({ id }: { id: number }): SQL | undefined {
  return and(eq(tokens.userId, id), isNull(tokens.deletedAt));
}

/**
 * The current user, or the account `userId` for an administrator with a higher role (root: any account). Throws forbidden,
 * not_found. Users act on their own tokens, whatever they send.
 */
export async function tokenOwner(ctx: ServiceContext, userId?: number): Promise<TokenOwner> {
  const actor = requireRole(ctx, ROLE.user);
  // Rows that users send back have an owner's id; for who is no administrator it names nobody.
  const isOwn = userId === undefined || userId === actor.id || actor.role < ROLE.admin;
  if (isOwn) return { id: actor.id, group: actor.group, isOther: false };
  const [row] = await ctx.db
    .select({ id: users.id, role: users.role, group: users.group })
    .from(users)
    .where(and(eq(users.id, userId), isNull(users.deletedAt)));
  if (!row) throw new AppError("not_found", "userNotFound");
  if (actor.role !== ROLE.root && row.role >= actor.role) throw new AppError("forbidden", "tokenOwnerLevel");
  return { id: row.id, group: row.group, isOther: true };
}

/** As `tokenOwner`, for what spends the account's balance: of another's a session needs a recent proof. */
export async function tokenOwnerToSpend(ctx: ServiceContext, userId?: number): Promise<TokenOwner> {
  const owner = await tokenOwner(ctx, userId);
  if (owner.isOther) requireProofOfSession(ctx);
  return owner;
}
