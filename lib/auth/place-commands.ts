import { and, eq, ne, sql } from "drizzle-orm";
import ipaddr from "ipaddr.js";
import type { Database } from "@/db/client";
import { knownPlaces } from "@/db/schema";
import { sha256Hex } from "@/lib/crypto";
import { readUserAgent } from "./user-agent";

const PREFIX_BITS = { ipv4: 24, ipv6: 48 } as const;

/** The /24 of an IPv4 address or the /48 of an IPv6 address; "" for invalid text. */
export function networkOf(clientIp: string): string {
  if (!ipaddr.isValid(clientIp)) return "";
  const address = ipaddr.process(clientIp);
  const bits = PREFIX_BITS[address.kind()];
  const masked = address.toByteArray().map((byte, index) => {
    const kept = Math.min(8, Math.max(0, bits - index * 8));
    return byte & (0xff << (8 - kept));
  });
  return `${ipaddr.fromByteArray(masked).toString()}/${bits}`;
}

/** A hash of browser, system and network, which identifies a place of sign-in without storing it in the clear. */
export function placeHash(place: { userId: number; clientIp: string; userAgent: string }): string {
  const { browser, system } = readUserAgent(place.userAgent);
  return sha256Hex([place.userId, browser, system, networkOf(place.clientIp)].join("\n"));
}

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
