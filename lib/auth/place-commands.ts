import { and, eq, ne, sql } from "drizzle-orm";
import type { Database } from "@/db/client";
import { knownPlaces } from "@/db/schema";
import { placeHash } from "./place";

const now = sql`floor(extract(epoch from clock_timestamp()))::bigint`;

export type SignInPlace = { userId: number; clientIp: string; userAgent: string };

/**
 * Stores the place of a sign-in. True when it is new for an account that has signed in from elsewhere; false for the
 * account's first place.
 */
export async function rememberPlace(db: Database, place: SignInPlace): Promise<boolean> {
  const hash = placeHash(place);
  const [row] = await db
    .insert(knownPlaces)
    .values({ userId: place.userId, placeHash: hash })
    .onConflictDoUpdate({ target: [knownPlaces.userId, knownPlaces.placeHash], set: { lastSeenAt: now } })
    .returning({ isNew: sql<boolean>`xmax = 0` });
  if (!row?.isNew) return false;
  const [other] = await db
    .select({ placeHash: knownPlaces.placeHash })
    .from(knownPlaces)
    .where(and(eq(knownPlaces.userId, place.userId), ne(knownPlaces.placeHash, hash)))
    .limit(1);
  return other !== undefined;
}
