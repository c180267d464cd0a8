import type { Database } from "@/db/client";
import { clearCounters, incrementCounter } from "@/lib/auth/commands";
import { sha256Hex } from "@/lib/crypto";
import { env } from "@/lib/env";
import { AppError } from "@/lib/errors";
import { addressKey } from "@/lib/rate-window";

/** The pause between two messages to one mailbox that the screens show (A217). */
const MAILBOX_PAUSE_SECONDS = 30;
/** Messages to one mailbox, whoever requests them. */
const MAILBOX = { limit: 10, windowSeconds: 3_600 } as const;

/**
 * Counts a critical call (class CT of contract §1.1: 20 in 20 minutes unless the environment says otherwise) per
 * purpose and client address, from /api and pages alike. Throws rate_limited above the limit.
 */
export async function countCritical(db: Database, purpose: string, clientIp: string): Promise<void> {
  const { CRITICAL_RATE_LIMIT_ENABLE, CRITICAL_RATE_LIMIT, CRITICAL_RATE_LIMIT_DURATION } = env();
  if (!CRITICAL_RATE_LIMIT_ENABLE) return;
  const key = `critical:${purpose}:${addressKey(clientIp)}`;
  const { count } = await incrementCounter(db, key, CRITICAL_RATE_LIMIT_DURATION);
  if (count > CRITICAL_RATE_LIMIT) throw new AppError("rate_limited", "tooManyRequests");
}

const pauseKey = (purpose: string, email: string) => `mail-pause:${purpose}:${sha256Hex(email).slice(0, 32)}`;

/** Counts a message to a mailbox: one in 30 seconds per purpose, ten an hour in total. Throws rate_limited above the limit. */
export async function countMessage(db: Database, purpose: string, email: string): Promise<void> {
  const pause = await incrementCounter(db, pauseKey(purpose, email), MAILBOX_PAUSE_SECONDS);
  if (pause.count > 1) {
    throw new AppError("rate_limited", "mailPause", { seconds: Math.max(1, pause.secondsLeft) });
  }
  const { count } = await incrementCounter(db, `mail:${sha256Hex(email).slice(0, 32)}`, MAILBOX.windowSeconds);
  if (count > MAILBOX.limit) throw new AppError("rate_limited", "tooManyRequests");
}

/** Lifts the pause when a message could not be sent. */
export async function forgivePause(db: Database, purpose: string, email: string): Promise<void> {
  await clearCounters(db, [pauseKey(purpose, email)]);
}
