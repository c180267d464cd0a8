import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { databaseOf, type Sql } from "@/db/client";
import { openSession, type Session } from "@/db/connect";
import { costUsage, resolveCost } from "@/lib/billing/cost";
import { resolvePrice } from "@/lib/billing/price";
import { nowSeconds } from "@/lib/clock";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { env } from "@/lib/env";
import { AppError } from "@/lib/errors";
import { logger } from "@/lib/logger";
import type { OperationId } from "@/lib/operations";
import { loadOptions } from "@/lib/option/queries";
import type { OptionValues } from "@/lib/option/registry";
import { channelTypes } from "@/lib/provider-catalogue";
import {
  type ChannelTest,
  chooseTest,
  type DisableOutcome,
  disableChannelAutomatically,
  disableKeyAutomatically,
  enableChannelAutomatically,
  tellRoots,
  testChannel,
} from "@/lib/relay/side";
import type { SnapshotChannel } from "@/lib/snapshot/build";
import { writeTestLog } from "@/lib/usage-log/test-log-commands";
import type { BulkTarget } from "./bulk-schemas";
import { recordChannelTest } from "./commands";
import { getChannel, listChosenIds, listTestableChannelIds, readRelayChannel } from "./queries";
import { beginProgress, type TestProgress } from "./test-progress";
import { verdictOfTest } from "./test-verdict";
import type { Channel, ChannelTestResult } from "./types";

const FALLBACK_MODEL = "gpt-4o-mini";
/** The advisory lock that allows one run at a time across all processes. */
const RUN_LOCK = 0x7765_6972;

/** What a test is to ask; what is left out follows from the channel. */
export type TestChoice = {
  model?: string | undefined;
  keyId?: number | undefined;
  operation?: OperationId | undefined;
};

/**
 * Sends a short request through a channel and stores how long it took. Nothing is charged. Enables a channel that the
 * system had disabled when the test passes (contract §4.9); a failed test only reports why, because whoever tests a
 * channel by hand is already looking at it.
 */
export async function runChannelTest(
  ctx: ServiceContext,
  id: number,
  choice: TestChoice = {},
): Promise<ChannelTestResult> {
  requireRole(ctx, ROLE.admin);
  const channel = await getChannel(ctx, id);
  const { model: wanted, test, cost } = await testOne(ctx, channel, choice);
  const verdict = verdictOfTest(channel, test, await loadOptions(ctx.db));
  const isEnabled = verdict.kind === "enable" && (await enableChannelAutomatically(ctx.sql, id));
  const { error: _, usage: __, ...report } = test;
  const shown = isEnabled ? { ...report, isEnabled } : report;
  if (test.success && !(await hasPrice(ctx, wanted)))
    return { model: wanted, cost, ...shown, success: false, isUnpriced: true, message: "the model has no price" };
  return { model: wanted, cost, ...shown };
}

/** A model without one is refused to all users, however well its channel works. */
async function hasPrice({ db }: ServiceContext, model: string): Promise<boolean> {
  return resolvePrice(model, 1, await loadOptions(db)) !== null;
}

async function testOne(
  ctx: ServiceContext,
  channel: Channel,
  { model = "", keyId, operation }: TestChoice = {},
): Promise<{ model: string; test: ChannelTest; keyId: number | null; cost: number | null }> {
  if (channelTypes.get(channel.type)?.test === null) throw new AppError("invalid", "channelNotTestable");
  const wanted = model.trim() || modelOfTest(channel);
  if (operation && !chooseTest(channel.type, wanted, operation))
    throw new AppError("invalid", "channelOperationNotServed");
  const relayChannel = await readRelayChannel(ctx, channel.id, keyId);
  const options = await loadOptions(ctx.db);
  const test = await testChannel(relayChannel, wanted, options, operation);
  // A failure without a text must not be stored as a success.
  const error = test.success ? "" : test.message || `status ${test.status ?? "unknown"}`;
  await recordChannelTest(ctx, channel.id, { error, timeMs: test.timeMs });
  if (test.success) {
    const { timeMs, firstTokenMs = null, usage = null } = test;
    const { clientIp } = ctx;
    await writeTestLog(ctx.db, { channelId: channel.id, model: wanted, usage, timeMs, firstTokenMs, clientIp });
  }
  const cost = costOfTest(test, relayChannel, wanted, options);
  return { model: wanted, test, keyId: relayChannel.keys?.[0]?.id ?? null, cost };
}

/** In quota; null = the upstream reported no usage, or what it takes is not known. */
function costOfTest(
  { usage }: ChannelTest,
  { modelMapping, setting }: SnapshotChannel,
  model: string,
  options: OptionValues,
): number | null {
  const row = usage && resolveCost([modelMapping.get(model) ?? model, model], setting.cost, options);
  if (!row || !usage) return null;
  const { quota, unpriced } = costUsage(usage, row);
  return unpriced ? null : quota;
}

function modelOfTest({ testModel, models }: Channel): string {
  return testModel || models.split(",")[0] || FALLBACK_MODEL;
}

/** Whether a test would have its upstream do dear work, such as draw: a schedule asks for no such thing. */
function isCostly(channel: Channel): boolean {
  return chooseTest(channel.type, modelOfTest(channel), null)?.test.isCostly === true;
}

export type TestRun = { tested: number; disabled: number; enabled: number };

/**
 * Starts a test of all channels or the selected ones, one after the other, and returns at once; `finished` settles at
 * the end. Throws conflict while a run is active in any process.
 */
export async function startChannelTestRun(
  ctx: ServiceContext,
  target?: BulkTarget,
): Promise<{ finished: Promise<void> }> {
  requireRole(ctx, ROLE.admin);
  const lock = await takeRunLock(ctx.sql);
  if (!lock) throw new AppError("conflict", "channelTestRunning");
  const progress = beginProgress(0);
  const run = async (): Promise<void> => {
    try {
      const ids = target === undefined ? await listTestableChannelIds(ctx) : await listChosenIds(ctx, target);
      progress.total = ids.length;
      await testAll(ctx, ids, { progress });
    } catch (error) {
      logger.error({ err: error }, "the test of all channels stopped early");
    } finally {
      progress.finishedAt = nowSeconds();
      await releaseRunLock(lock);
    }
  };
  return { finished: run() };
}

/**
 * Tests the channels not tested for `everySeconds`; returns null when a run is already active. The time of the last
 * test is in the database, so a restart or a second worker neither skips a channel nor tests it twice.
 */
export async function testDueChannels(
  ctx: ServiceContext,
  everySeconds: number,
  stopping?: AbortSignal,
): Promise<TestRun | null> {
  requireRole(ctx, ROLE.admin);
  const due = await listTestableChannelIds(ctx, everySeconds);
  if (due.length === 0) return { tested: 0, disabled: 0, enabled: 0 };
  const lock = await takeRunLock(ctx.sql);
  if (!lock) return null;
  try {
    return await testAll(ctx, due, { stopping });
  } finally {
    await releaseRunLock(lock);
  }
}

/** testDueChannels for the worker. */
export function testChannelsBySchedule(
  sql: Sql,
  everySeconds: number,
  stopping?: AbortSignal,
): Promise<TestRun | null> {
  const actor = { type: "job", name: "channel-tests" } as const;
  return testDueChannels({ db: databaseOf(sql), sql, actor, clientIp: "" }, everySeconds, stopping);
}

/** A session lock on its own connection: it is released when the connection closes, also after a crash. */
async function takeRunLock(sql: Sql): Promise<Session | null> {
  const session = await openSession(sql, "weir-channel-tests");
  try {
    const [row] = await session.sql<{ locked: boolean }[]>`select pg_try_advisory_lock(${RUN_LOCK}) as locked`;
    if (row?.locked) return session;
  } catch (error) {
    await session.release();
    throw error;
  }
  await session.release();
  return null;
}

async function releaseRunLock(session: Session): Promise<void> {
  try {
    await session.sql`select pg_advisory_unlock(${RUN_LOCK})`;
  } catch (error) {
    // The connection is closed, which has released the lock.
    logger.warn({ err: error }, "the connection of a test run ended early");
  } finally {
    await session.release();
  }
}

type During = { progress?: TestProgress; stopping?: AbortSignal | undefined };

/** Ends early when it is cancelled or the process stops. */
async function testAll(ctx: ServiceContext, ids: readonly number[], { progress, stopping }: During): Promise<TestRun> {
  const run: TestRun = { tested: 0, disabled: 0, enabled: 0 };
  const pauseMs = env().POLLING_INTERVAL * 1_000;
  for (const [at, id] of ids.entries()) {
    if (at > 0 && pauseMs > 0) await delay(pauseMs, undefined, stopping ? { signal: stopping } : {}).catch(() => {});
    if (progress?.isCancelled || stopping?.aborted) break;
    await visit(ctx, id, run, progress);
  }
  if (run.tested > 0) {
    const dedupeKey = `channel-tests:${randomUUID()}`;
    await tellRoots(ctx.sql, { event: "channel_test_finished", params: run, dedupeKey });
  }
  return run;
}

/** Tests one channel of a run and applies the verdict; a channel deleted meanwhile is skipped. */
async function visit(ctx: ServiceContext, id: number, run: TestRun, progress?: TestProgress): Promise<void> {
  try {
    const channel = await getChannel(ctx, id);
    if (ctx.actor.type === "job" && isCostly(channel)) return;
    const { model, test, keyId } = await testOne(ctx, channel);
    run.tested += 1;
    const verdict = verdictOfTest(channel, test, await loadOptions(ctx.db));
    if (verdict.kind === "enable" && (await enableChannelAutomatically(ctx.sql, id))) run.enabled += 1;
    if (verdict.kind === "disable" && (await disableTested(ctx.sql, id, keyId, verdict.reason)) === "disabled")
      run.disabled += 1;
    const { success, message, timeMs, status, tls } = test;
    const outcome = { id, name: channel.name, model, success, message, timeMs, verdict: verdict.kind };
    progress?.outcomes.push({ ...outcome, ...(status === undefined ? {} : { status }), ...(tls ? { tls } : {}) });
  } catch (error) {
    if (!(error instanceof AppError)) logger.error({ err: error, channel: id }, "a channel could not be tested");
  }
}

/** Where the test used one of several keys, only that key is disabled; the channel stays enabled while it has others. */
function disableTested(sql: Sql, id: number, keyId: number | null, reason: string): Promise<DisableOutcome> {
  return keyId === null
    ? disableChannelAutomatically(sql, id, reason)
    : disableKeyAutomatically(sql, id, keyId, reason);
}
