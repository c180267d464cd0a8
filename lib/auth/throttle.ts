import type { Database } from "@/db/client";
import { sha256Hex } from "@/lib/crypto";
import { AppError } from "@/lib/errors";
import { clearCounters, decrementCounter, incrementCounter, sweepCounters } from "./commands";

const WINDOW_SECONDS = 900;
/** Failed attempts per window. The address limit is higher because many people may share an address. */
const LIMITS = { account: 10, address: 40 } as const;
const SWEEP_CHANCE = 0.02;

function addressKey(clientIp: string): string {
  return `login:address:${clientIp || "unknown"}`;
}

function accountKey(account: string): string {
  return `login:account:${sha256Hex(account).slice(0, 32)}`;
}

/**
 * Counts a sign-in attempt before the password is checked, so that parallel guesses cannot pass the limit. Throws
 * rate_limited above the limit. `account` must be the same text whether the user typed name or e-mail address.
 */
export async function countAttempt(db: Database, account: string, clientIp: string): Promise<void> {
  if (Math.random() < SWEEP_CHANCE) await sweepCounters(db, WINDOW_SECONDS * 8);
  const counted = [
    { ...(await incrementCounter(db, addressKey(clientIp), WINDOW_SECONDS)), limit: LIMITS.address },
    { ...(await incrementCounter(db, accountKey(account), WINDOW_SECONDS)), limit: LIMITS.account },
  ];
  const over = counted.filter(({ count, limit }) => count > limit);
  if (over.length === 0) return;
  const seconds = Math.max(...over.map(({ secondsLeft }) => secondsLeft));
  throw new AppError("rate_limited", "loginThrottled", { minutes: Math.max(1, Math.ceil(seconds / 60)) });
}

/** The attempt succeeded: resets the account's counter and takes the attempt back from the address. */
export async function forgiveAttempt(db: Database, account: string, clientIp: string): Promise<void> {
  await clearCounters(db, [accountKey(account)]);
  await decrementCounter(db, addressKey(clientIp));
}

const FACTOR_LIMIT = 10;
const PASSKEY_CHALLENGE_LIMIT = 120;

function factorKey(userId: number): string {
  return `factor:account:${userId}`;
}

/** Counts an attempt at the second factor before it is checked. Throws rate_limited above the limit. */
export async function countFactorAttempt(db: Database, userId: number): Promise<void> {
  await countCall(db, factorKey(userId), FACTOR_LIMIT);
}

export async function forgiveFactorAttempts(db: Database, userId: number): Promise<void> {
  await clearCounters(db, [factorKey(userId)]);
}

/** Passkey challenges need no sign-in; this limit keeps one address from filling the table. */
export async function countPasskeyChallenge(db: Database, clientIp: string): Promise<void> {
  await countCall(db, `passkey:address:${clientIp || "unknown"}`, PASSKEY_CHALLENGE_LIMIT);
}

async function countCall(db: Database, key: string, limit: number): Promise<void> {
  const { count, secondsLeft } = await incrementCounter(db, key, WINDOW_SECONDS);
  if (count <= limit) return;
  throw new AppError("rate_limited", "loginThrottled", { minutes: Math.max(1, Math.ceil(secondsLeft / 60)) });
}
