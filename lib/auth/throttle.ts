import type { Database } from "@/db/client";
import { sha256Hex } from "@/lib/crypto";
import { AppError } from "@/lib/errors";
import { addressKey } from "@/lib/rate-window";
import { clearCounters, decrementCounter, incrementCounter } from "./commands";
import { hasSignedInFrom } from "./session-queries";

/** `attempts` within `seconds`. */
type Limit = { attempts: number; seconds: number };

const WINDOW_SECONDS = 900;
/** Many people may share an address. */
const PER_ADDRESS: Limit = { attempts: 40, seconds: WINDOW_SECONDS };
const PER_ACCOUNT_AND_ADDRESS: Limit = { attempts: 10, seconds: WINDOW_SECONDS };
/** For one account, from all addresses together from which it has not signed in lately. */
const STRANGERS: Limit = { attempts: 20, seconds: WINDOW_SECONDS };
/** What strangers get when that is used up: less without a human check, so that nobody tries many passwords. */
const TRICKLE: Limit = { attempts: 5, seconds: 60 };
const TRICKLE_OF_HUMANS: Limit = { attempts: 20, seconds: 60 };
const PASSKEY_CHALLENGES: Limit = { attempts: 120, seconds: WINDOW_SECONDS };

/**
 * An attempt to prove to be the owner of an account. `subject` is the same text whether the user typed name or e-mail
 * address; `userId` is null when there is no such account; `human`: the human check was passed.
 */
export type Attempt = { subject: string; userId: number | null; clientIp: string; human?: boolean };

const accountPart = (subject: string) => sha256Hex(subject).slice(0, 32);
const keyOfAddress = ({ clientIp }: Attempt) => `login:address:${addressKey(clientIp)}`;
const keyOfPair = ({ subject, clientIp }: Attempt) => `login:pair:${accountPart(subject)}:${addressKey(clientIp)}`;
const keyOfStrangers = ({ subject }: Attempt) => `login:strangers:${accountPart(subject)}`;
const keyOfTrickle = ({ subject }: Attempt) => `login:trickle:${accountPart(subject)}`;

/**
 * Counts an attempt before the password is checked, so that parallel guesses cannot pass the limit. Nobody can lock the
 * owner out: wrong passwords from other addresses do not count where the account has signed in within 30 days. Guesses
 * spread over many addresses share one budget, then a few a minute. Throws rate_limited above a limit; what one limit
 * refuses does not use up the next.
 */
export async function countAttempt(db: Database, attempt: Attempt): Promise<void> {
  await count(db, keyOfAddress(attempt), PER_ADDRESS);
  await count(db, keyOfPair(attempt), PER_ACCOUNT_AND_ADDRESS);
  if (await isKnownPlace(db, attempt)) return;
  if ((await waitFor(db, keyOfStrangers(attempt), STRANGERS)) === 0) return;
  await count(db, keyOfTrickle(attempt), attempt.human ? TRICKLE_OF_HUMANS : TRICKLE);
}

/** The attempt succeeded: it counts no longer, and earlier ones from this address are forgiven. */
export async function forgiveAttempt(db: Database, attempt: Attempt): Promise<void> {
  await clearCounters(db, [keyOfPair(attempt)]);
  await decrementCounter(db, keyOfAddress(attempt));
  if (!(await isKnownPlace(db, attempt))) await decrementCounter(db, keyOfStrangers(attempt));
}

async function isKnownPlace(db: Database, { userId, clientIp }: Omit<Attempt, "subject">): Promise<boolean> {
  return userId !== null && (await hasSignedInFrom(db, userId, clientIp));
}

/**
 * Counts an attempt at the second factor before it is checked. Who tries has the password, so strangers have one small
 * budget together; a known place has its own. Throws rate_limited above the limit.
 */
export async function countFactorAttempt(db: Database, attempt: FactorAttempt): Promise<void> {
  await count(db, await keyOfFactor(db, attempt), PER_ACCOUNT_AND_ADDRESS);
}

export async function forgiveFactorAttempts(db: Database, attempt: FactorAttempt): Promise<void> {
  await clearCounters(db, [await keyOfFactor(db, attempt)]);
}

export type FactorAttempt = { userId: number; clientIp: string };

async function keyOfFactor(db: Database, attempt: FactorAttempt): Promise<string> {
  const place = (await isKnownPlace(db, attempt)) ? `:${addressKey(attempt.clientIp)}` : "";
  return `factor:account:${attempt.userId}${place}`;
}

/** Passkey challenges need no sign-in; this limit keeps one address from filling the table. */
export async function countPasskeyChallenge(db: Database, clientIp: string): Promise<void> {
  await count(db, `passkey:address:${addressKey(clientIp)}`, PASSKEY_CHALLENGES);
}

async function count(db: Database, key: string, limit: Limit): Promise<void> {
  const seconds = await waitFor(db, key, limit);
  if (seconds === 0) return;
  throw new AppError("rate_limited", "loginThrottled", { minutes: Math.max(1, Math.ceil(seconds / 60)) });
}

/** Counts; 0 within the limit, else the seconds until the window ends. */
async function waitFor(db: Database, key: string, { attempts, seconds }: Limit): Promise<number> {
  const counted = await incrementCounter(db, key, seconds);
  return counted.count <= attempts ? 0 : Math.max(1, counted.secondsLeft);
}
