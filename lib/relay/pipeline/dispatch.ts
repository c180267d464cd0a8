import type { SnapshotChannel } from "@/lib/snapshot/store";
import { replyOf } from "../base/refusals/refusal-table";
import type { CutDelivery, Delivery, Spent } from "../http/delivery";
import type { Step } from "../routing/plan/retry-plan";
import { keepDelivered } from "./continuation";
import { continueStream } from "./continue-stream";
import {
  type DispatchSettings,
  type DispatchState,
  type Judged,
  limitsAt,
  NONE,
  noteFailure,
  seat,
  take,
} from "./dispatch-state";
import { hedgeAttempt } from "./hedge-attempt";
import { type Tried, tryChannel } from "./try-channel";

/**
 * Tries channels until one delivers, or the attempts are used up. What is tried next after a failure stands here; that a second channel is
 * asked beside a slow one in hedge-attempt.ts, and that others go on with a stream that was cut in continue-stream.ts.
 */
export async function dispatch(settings: DispatchSettings): Promise<Delivery> {
  const { before, hedging } = settings;
  const run = openRun(settings);
  if (settings.continuable) keepDelivered(settings.exchange);
  if (hedging && !before) hedging.share.count(hedging.percent);
  const first = seat(settings, settings.route.tiers, NONE, 0);
  let channel = first instanceof Promise ? await first : first;
  for (let attempt = 1; channel; attempt++) {
    let tried: Tried;
    if (hedging && !run.hedged) {
      const asked = await hedgeAttempt(run, hedging, channel, attempt);
      channel = asked.channel;
      tried = asked.result;
      attempt += asked.count - 1;
    } else tried = await tryChannel(run, channel, attempt);
    if (tried.outcome === "cut") return continueStream(run, channel, attempt, tried);
    if (tried.outcome !== "failed") return tried;
    settings.seats.end(channel);
    const step = nextStep(run, channel, attempt, tried);
    channel = step && (await take(run, step, attempt));
  }
  return failedDelivery(run);
}

/** Lets the channels of another model go on with a stream that broke off. */
export async function dispatchRest(settings: DispatchSettings, cut: CutDelivery): Promise<Delivery> {
  return continueStream(openRun(settings), null, 0, cut);
}

function openRun(settings: DispatchSettings): DispatchState {
  const { before } = settings;
  const used: SnapshotChannel[] = before?.used ?? [];
  settings.exchange.tried = used;
  return {
    settings,
    begunAt: before?.begunAt ?? performance.now(),
    used,
    attempts: before?.attempts ?? null,
    begun: 0,
    plan: null,
    last: null,
    isLate: false,
    mayBeStale: true,
    hedged: null,
  };
}

function nextStep(
  run: DispatchState,
  channel: SnapshotChannel,
  attempt: number,
  judged: Judged,
): Step<SnapshotChannel> | null {
  const { settings, begunAt } = run;
  const now = performance.now();
  const plan = noteFailure(run, channel, now, judged);
  run.isLate = now - begunAt >= limitsAt(settings, channel).whole;
  const left = settings.retryTimes - attempt + 1;
  const isOver = !judged.retry || left < 1 || run.isLate;
  return isOver ? null : plan.next(now, left);
}

function failedDelivery(run: DispatchState): Delivery & { outcome: "failed" } {
  const { settings, begunAt, used, attempts, plan, last } = run;
  const { reply: told, retryAfterMs } = last ?? NO_CHANNEL;
  const { statusFor } = settings.exchange.clientDialect;
  const reply = statusFor ? { ...told, status: statusFor(told.status) } : told;
  // Another model may be one that the account may use.
  const fault = last?.fault === "access" ? null : last?.fault;
  const refusal = fault ?? (last?.retry === false ? "request" : run.isLate ? "time" : null);
  const waitLeftMs = plan?.waitLeftMs ?? settings.waitBudgetMs;
  const spent: Spent = { begunAt, waitLeftMs, used, attempts, refusal, tooShort: plan?.tooShort ?? NO_MODELS };
  return { outcome: "failed", used, attempts, upstream: null, reply, retryAfterMs, spent };
}

const NO_MODELS: ReadonlySet<string> = new Set();

const NO_CHANNEL = { reply: replyOf("no_available_channel", "no available channel"), retryAfterMs: null };
