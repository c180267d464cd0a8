import type { Sql } from "@/db/client";
import { nowSeconds } from "@/lib/clock";
import { ROLE } from "@/lib/context";
import { importedKeyHash, sha256Hex } from "@/lib/crypto";
import { AppError, type ErrorCode } from "@/lib/errors";
import { isHashOnly } from "@/lib/key-hint";
import { isListed } from "@/lib/request/address-list";
import { TOKEN_STATUS, USER_STATUS } from "@/lib/row-status";
import { type KeyOwner, parseOwner } from "./key-cache";
import { findTokenByHash } from "./queries";

const KEY = /^[0-9A-Za-z]{1,128}$/;

/** Keys of other systems of which only a hash was imported: as they are given, hyphens and all. */
const WHOLE_KEY = /^sk-[\x21-\x7e]{1,253}$/;

/** `whole`: the text as it was given. */
export type GivenKey = { key: string; pinnedChannel: string | null; whole: string };

/** Splits `sk-<key>-<channel>`, with or without "sk-" (contract §4.2). */
export function splitKey(whole: string): GivenKey {
  const bare = whole.startsWith("sk-") ? whole.slice(3) : whole;
  const hyphen = bare.indexOf("-");
  if (hyphen === -1) return { key: bare, pinnedChannel: null, whole };
  const next = bare.indexOf("-", hyphen + 1);
  return {
    key: bare.slice(0, hyphen),
    pinnedChannel: bare.slice(hyphen + 1, next === -1 ? undefined : next),
    whole,
  };
}

/** Null = no key of Weir's own looks so. */
export function ownHash({ key }: GivenKey): string | null {
  return KEY.test(key) ? sha256Hex(key) : null;
}

/** Null = no imported key looks so. */
export function importedHash({ whole }: GivenKey): string | null {
  return WHOLE_KEY.test(whole) ? importedKeyHash(sha256Hex(whole)) : null;
}

/** The user and token of a key, and the channel that an administrator asks for behind it. */
export type KeyUse = KeyOwner & { pinnedChannel: string | null };

export function toKeyUse({ token, user }: KeyOwner, pinnedChannel: string | null): KeyUse {
  // What follows a hyphen in an imported key is a part of the key.
  return { token, user, pinnedChannel: isHashOnly(token) ? null : pinnedChannel };
}

export type KeyRefusal = "exhausted" | "expired" | "disabled" | "banned" | "channel" | "address";

/**
 * Why a key may not be used, in the order of contract §4.3 (checks 3 to 9 and 11); null = it may. Every use of a key asks
 * this, also those that ask for nothing but its own records.
 */
export function whyRefused({ token, user, pinnedChannel }: KeyUse, clientIp: string, now: number): KeyRefusal | null {
  if (token.status === TOKEN_STATUS.exhausted) return "exhausted";
  if (token.status === TOKEN_STATUS.expired) return "expired";
  if (token.status !== TOKEN_STATUS.enabled) return "disabled";
  if (isExpired(token, now)) return "expired";
  if (user.status !== USER_STATUS.enabled) return "banned";
  if (pinnedChannel !== null && user.role < ROLE.admin) return "channel";
  const isOutside = token.addresses.length > 0 && !isListed(clientIp, token.addresses);
  return isOutside || isListed(clientIp, token.blockedAddresses) ? "address" : null;
}

/** Whether the expiry time has passed, whatever the token's status is. */
export function isExpired(token: { expiredTime: number }, now: number): boolean {
  return token.expiredTime !== -1 && token.expiredTime <= now;
}

const ERRORS: Record<KeyRefusal, [ErrorCode, string]> = {
  exhausted: ["invalid", "keyUsedUp"],
  expired: ["invalid", "keyExpired"],
  disabled: ["invalid", "keyDisabled"],
  banned: ["forbidden", "userBanned"],
  channel: ["forbidden", "keyNoChannel"],
  address: ["forbidden", "keyAddressRefused"],
};

/** The token of a key that its holder may use from this address. For calls outside the relay. Throws invalid, forbidden. */
export async function requireUsableKey(sql: Sql, text: string, clientIp: string): Promise<KeyOwner["token"]> {
  const given = splitKey(text.trim());
  const hashes = [ownHash(given), importedHash(given)].filter((hash) => hash !== null);
  const found = hashes.length > 0 ? await findTokenByHash(sql, hashes) : null;
  if (!found) throw new AppError("invalid", "tokenKeyUnknown");
  const use = toKeyUse(parseOwner(found), given.pinnedChannel);
  const refusal = whyRefused(use, clientIp, nowSeconds());
  if (refusal !== null) throw new AppError(...ERRORS[refusal]);
  return use.token;
}
