import { and, eq, isNull, type SQL } from "drizzle-orm";
import { tokens } from "@/db/schema";
import type { UserActor } from "@/lib/context";

export function ownedBy(actor: UserActor): SQL | undefined {
  return and(eq(tokens.userId, actor.id), isNull(tokens.deletedAt));
}
