import type { Verdict } from "../../base/classify-failure";
import type { Candidate } from "./choose-channel";

/** Within this time after a limit, a channel gets at most two requests of ours. */
const LIMITED_WINDOW_MS = 1_500;
const BACK_OFF_MS = 500;
/** Upstreams state whole seconds, which may have begun: its circuit rests for as long at least. */
const STATED_LEAST_MS = 1_000;
/** Added to a wait that an upstream asked for, so that all who wait do not come back at once. */
const SPREAD_MS = 250;

export type PlanSettings<Channel extends Candidate> = {
  /** Highest priority first. */
  tiers: readonly (readonly Channel[])[];
  /** Whether the circuit of a channel is open. */
  isOpen: (channelId: number) => boolean;
  /** The upstream's name of the model at a channel. */
  upstreamModel: (channel: Channel) => string | null;
  /** Returns a number in [0, 1). */
  random: () => number;
  /** What the request may wait in all. */
  waitBudgetMs: number;
};

export type Failed = Pick<Verdict, "again" | "isTransient" | "retryAfterMs" | "fault"> & {
  /** Only the key failed, and another key of the channel may work. */
  hasOtherKeys: boolean;
};

/** What to ask next: "other" = one of the channels that were not tried, whichever the choice is. */
export type Step<Channel> = "other" | AgainStep<Channel>;
/** The channel was asked before, and is asked again after the wait. `isFirst`: before others of lower priority. */
export type AgainStep<Channel> = { channel: Channel; waitMs: number; isFirst: boolean };

/** A channel that may be asked again. `isStated`: the upstream said when. `isFirst`: before others of lower priority. */
type Again<Channel> = { channel: Channel; at: number; isStated: boolean; isFirst: boolean };

/** What one request has tried, and what it may try next. Times are in ms on any one clock. */
export class RetryPlan<Channel extends Candidate> {
  private readonly settings: PlanSettings<Channel>;
  /** Ids of channels that are not asked but by `again`. */
  readonly tried = new Set<number>();
  private readonly askable = new Map<number, Again<Channel>>();
  /** When the attempts at each channel began. */
  private readonly starts = new Map<number, number[]>();
  /** Upstream models that the request is too long for. */
  readonly tooShort = new Set<string>();
  waitLeftMs: number;
  /** How many attempts went to a channel once more before those of lower priority. */
  returns = 0;

  constructor(settings: PlanSettings<Channel>) {
    this.settings = settings;
    this.waitLeftMs = settings.waitBudgetMs;
  }

  /** Notes a failed attempt that began at `startedAt`. */
  failed(channel: Channel, startedAt: number, now: number, failed: Failed): void {
    const starts = [...(this.starts.get(channel.id) ?? []), startedAt];
    this.starts.set(channel.id, starts);
    if (failed.fault === "context") this.barModel(channel);
    if (failed.hasOtherKeys) return;
    this.tried.add(channel.id);
    const at = this.nextTime(starts, now, failed);
    if (at === null) this.askable.delete(channel.id);
    else {
      const isStated = failed.retryAfterMs !== null;
      this.askable.set(channel.id, { channel, at, isStated, isFirst: failed.isTransient && starts.length === 1 });
    }
  }

  /** The model does not take so long a request, so no channel that leads to it does. */
  private barModel(refusing: Channel): void {
    const { tiers, upstreamModel } = this.settings;
    const model = upstreamModel(refusing);
    if (model !== null) this.tooShort.add(model);
    for (const tier of tiers) {
      for (const channel of tier) if (this.tooShort.has(upstreamModel(channel) ?? "")) this.tried.add(channel.id);
    }
  }

  /** When the channel may be asked again; null = never. */
  private nextTime(starts: readonly number[], now: number, { again, retryAfterMs }: Failed): number | null {
    if (again === "never" || (again === "once" && starts.length > 1)) return null;
    const { random } = this.settings;
    const backOffMs =
      retryAfterMs === null
        ? random() * BACK_OFF_MS * 2 ** (starts.length - 1)
        : Math.max(retryAfterMs, STATED_LEAST_MS) + random() * SPREAD_MS;
    const before = starts.at(-2) ?? Number.NEGATIVE_INFINITY;
    return Math.max(now + backOffMs, before + LIMITED_WINDOW_MS);
  }

  /**
   * Null = there is nothing left to try, or nothing within the time that may be waited. `left`: how many attempts may be made.
   * With the last one a channel is asked that has not failed.
   */
  next(now: number, left: number): Step<Channel> | null {
    const { tiers, isOpen } = this.settings;
    let hasUntried = false;
    for (const [at, tier] of tiers.entries()) {
      for (const { id } of tier) {
        if (this.tried.has(id)) continue;
        if (!isOpen(id)) return (left > 1 && this.againAbove(at, now)) || "other";
        hasUntried = true;
      }
    }
    // An upstream that said when it can be asked is a better choice than one that failed lately.
    return hasUntried && !this.firstAgain(now)?.isStated ? "other" : this.again(now);
  }

  /** Takes the channel that may be asked again first; null = there is none, or not within the time that may be waited. */
  again(now: number): AgainStep<Channel> | null {
    return this.take(this.firstAgain(now), now, false);
  }

  /** The same, of those that go before the channels of this tier. */
  private againAbove(at: number, now: number): AgainStep<Channel> | null {
    if (this.askable.size === 0) return null;
    const above = this.settings.tiers.slice(0, at);
    const first = this.firstAgain(
      now,
      ({ isFirst, channel }) => isFirst && above.some((tier) => tier.includes(channel)),
    );
    if (first) this.returns += 1;
    return this.take(first, now, true);
  }

  private take(again: Again<Channel> | null, now: number, isFirst: boolean): AgainStep<Channel> | null {
    if (!again) return null;
    const waitMs = Math.max(0, Math.min(again.at - now, this.waitLeftMs));
    this.waitLeftMs -= waitMs;
    this.askable.delete(again.channel.id);
    return { channel: again.channel, waitMs, isFirst };
  }

  private firstAgain(now: number, isMeant: (again: Again<Channel>) => boolean = () => true): Again<Channel> | null {
    let first: Again<Channel> | null = null;
    for (const again of this.askable.values()) {
      // The spread is ours: it never makes a wait too long.
      const neededMs = again.at - now - (again.isStated ? SPREAD_MS : 0);
      const isSooner = first === null || again.at < first.at;
      if (isSooner && neededMs <= this.waitLeftMs && isMeant(again)) first = again;
    }
    return first;
  }
}
