import type { Sql } from "@/db/client";
import type { OptionValues } from "@/lib/option/registry";
import type { SnapshotChannel, Tier } from "@/lib/snapshot/store";
import { upstreamModelOf } from "@/lib/snapshot/upstream-model";
import type { ChannelSeats } from "../admission/limits/channel-seats";
import type { Verdict } from "../base/classify-failure";
import type { AttemptEnd } from "../http/attempt/attempt-end";
import type { Asker, AttemptSettings, Budget } from "../http/attempt/attempt-settings";
import { type TimeLimits, timeLimitsOf } from "../http/attempt/time-limits";
import type { Attempt } from "../http/attempts";
import type { Spent } from "../http/delivery";
import type { Exchange } from "../http/exchange";
import type { Pools } from "../net/pools";
import type { UpstreamDrains } from "../net/upstream-drains";
import type { Cap, Sendable } from "../operations/operation";
import type { UpstreamOptions } from "../providers/requests/upstream-options";
import type { Preference } from "../routing/affinity";
import { claimProbe, openCircuits } from "../routing/attempt-circuit";
import type { Circuits } from "../routing/circuits";
import type { KeyRotation } from "../routing/key-rotation";
import { type Choice, tiersFrom } from "../routing/plan/choose-channel";
import { RetryPlan, type Step } from "../routing/plan/retry-plan";
import type { Route } from "../routing/route";
import type { Continuing } from "./continuation";
import type { HedgePolicy } from "./hedge-policy";
import { pause } from "./while-there";

export type DispatchSettings = {
  /** Takes the place of a request over HTTP. */
  attempt?: (asking: AttemptSettings) => Promise<AttemptEnd>;
  exchange: Exchange;
  intake: Sendable;
  route: Route;
  /** Keep the answer within the reservation: a limit in the request, and the watch over a stream. */
  cap: Cap | null;
  budget: Budget;
  drains: Pick<UpstreamDrains, "begin">;
  asker: Asker;
  pools: Pools;
  circuits: Circuits;
  keyRotation: KeyRotation;
  /** Where the conversation's prompt is cached; null = by weight. */
  preference: Preference | null;
  /** Places in the limits of channels. The caller leaves that of the channel that answered. */
  seats: ChannelSeats;
  random: () => number;
  retryTimes: number;
  /** The request, where other channels may go on with its stream when it breaks off; null = they may not. */
  continuable: Continuing["intake"] | null;
  /** The models that will have written the answer, where this one only goes on with it. */
  writers?: readonly string[];
  /** What other models that were asked before have left; null = this is the first one. */
  before: Spent | null;
  /** The models that may be asked after this one; null = none. */
  otherModels: { isWell(circuits: Circuits): boolean } | null;
  /** What is added to the time for the whole answer, in ms: a stream that broke off has begun anew. */
  wholeAddedMs: number;
  /** Null = no second channel is asked while the first one works. */
  hedging: HedgePolicy | null;
  /** What the request may wait in all for upstreams that ask to be asked later. */
  waitBudgetMs: number;
  /** How often the caller of a stream is told that we wait; Infinity = never. */
  keepAliveMs: number;
  /** Send bodies unchanged, whatever the channel's setting is. */
  passThrough: boolean;
  options: UpstreamOptions & AutoDisableOptions & Parameters<typeof timeLimitsOf>[0];
  /** Where a channel is disabled. */
  sql: Sql;
};

type AutoDisableOptions = Pick<OptionValues, "AutomaticDisableChannelEnabled" | "AutomaticDisableKeywords">;

/** A try of which nothing has reached the client, and what follows from that. */
export type Judged = Verdict & { outcome: "failed"; hasOtherKeys: boolean; startedAt: number };

/** What has happened to a request so far. */
export type DispatchState = {
  settings: DispatchSettings;
  begunAt: number;
  used: SnapshotChannel[];
  attempts: Attempt[] | null;
  /** How many attempts were begun. */
  begun: number;
  /** Null = nothing has failed yet. */
  plan: RetryPlan<SnapshotChannel> | null;
  /** The last failure, or the one that says most. */
  last: Judged | null;
  /** The time for the whole answer is over. */
  isLate: boolean;
  /** No stale connection was met yet. */
  mayBeStale: boolean;
  /** The two channels that were asked side by side; null = none were yet. */
  hedged: readonly number[] | null;
};

export const NONE: ReadonlySet<number> = new Set();

/** Chooses a channel that has room; null = there is none. */
export function seat(settings: DispatchSettings, tiers: readonly Tier[], tried: ReadonlySet<number>, attempt: number) {
  const { seats, random, preference, circuits } = settings;
  const isOpen = openCircuits(settings);
  const prefer = attempt === 0 ? preference?.choose : null;
  const choice = { tiers, attempt, tried, isOpen, random, prefer };
  // One look in the ordinary case, where no circuit is open.
  if (!circuits.hasOpen) return seats.choose(choice);
  const choose = (probed: SnapshotChannel | null) => seats.choose(probed ? withProbe(choice, probed) : choice);
  const claiming = claimProbe(settings, tiersFrom(tiers, attempt), tried);
  return claiming instanceof Promise ? claiming.then(choose) : choose(claiming);
}

/** The request that got a probe makes it: the channel counts as well for this choice, and goes before the others of its tier. */
function withProbe(choice: Choice<SnapshotChannel>, probed: SnapshotChannel): Choice<SnapshotChannel> {
  const { isOpen, prefer } = choice;
  return {
    ...choice,
    isOpen: (id) => id !== probed.id && isOpen(id),
    prefer: (channels) => (channels.includes(probed) ? probed : (prefer?.(channels) ?? null)),
  };
}

/** Waits as the plan says, and takes a place. Where all other channels are full, one is asked again. */
export async function take({ settings, plan }: DispatchState, step: Step<SnapshotChannel>, attempt: number) {
  // An attempt that went to the same channel leaves no priority out.
  const nth = attempt - (plan?.returns ?? 0);
  const other = () => seat(settings, settings.route.tiers, plan?.tried ?? NONE, nth);
  let again = step === "other" ? null : step;
  if (step === "other") {
    const seated = await other();
    if (seated) return seated;
    again = plan?.again(performance.now()) ?? null;
  }
  if (!again) return null;
  if (again.waitMs > 0) await pause(settings.exchange, again.waitMs);
  // Of all who waited for a channel whose circuit is open one comes back to it, as the probe.
  if (again.isFirst && !(await mayReturn(settings, again.channel))) {
    const seated = await other();
    if (seated) return seated;
  }
  return seat(settings, [[again.channel]], NONE, attempt);
}

async function mayReturn(settings: DispatchSettings, channel: SnapshotChannel): Promise<boolean> {
  return !openCircuits(settings)(channel.id) || (await claimProbe(settings, [[channel]], NONE)) !== null;
}

/** Returns what may be tried next. */
export function noteFailure(
  run: DispatchState,
  channel: SnapshotChannel,
  now: number,
  judged: Judged,
): RetryPlan<SnapshotChannel> {
  // That a request is too long helps the caller more than what other channels say of it.
  if (run.last?.fault !== "context") run.last = judged;
  run.plan ??= openPlan(run.settings);
  run.plan.failed(channel, judged.startedAt, now, judged);
  return run.plan;
}

export function openPlan(settings: DispatchSettings): RetryPlan<SnapshotChannel> {
  const { route, intake, passThrough, random, waitBudgetMs } = settings;
  return new RetryPlan<SnapshotChannel>({
    tiers: route.tiers,
    isOpen: openCircuits(settings),
    upstreamModel: (channel) => upstreamModelOf(intake.model, channel, passThrough),
    random,
    waitBudgetMs,
  });
}

/** How long a channel is waited for. */
export function limitsAt({ options, intake, wholeAddedMs }: DispatchSettings, channel: SnapshotChannel): TimeLimits {
  const limits = timeLimitsOf(options, intake.model, channel.setting.timeLimits);
  return wholeAddedMs === 0 ? limits : { ...limits, whole: limits.whole + wholeAddedMs };
}

/** Whether another model could be asked now. */
export function hasOtherModel({ otherModels, circuits }: DispatchSettings): boolean {
  return otherModels?.isWell(circuits) === true;
}

/** Whether a channel that was not tried yet could be asked now. */
export function hasOther(run: DispatchState, current: SnapshotChannel): boolean {
  const isOther = otherThan(run, current);
  return run.settings.route.tiers.some((tier) => tier.some(isOther));
}

/** Whether a channel was not tried yet, and its circuit is not open. */
export function otherThan(
  { settings, plan, hedged }: DispatchState,
  current: SnapshotChannel,
): (channel: SnapshotChannel) => boolean {
  const isOpen = openCircuits(settings);
  return ({ id }) => id !== current.id && !plan?.tried.has(id) && !hedged?.includes(id) && !isOpen(id);
}
