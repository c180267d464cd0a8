import type { SnapshotChannel } from "@/lib/snapshot/store";
import { type Lane, Race } from "../http/attempt/race";
import type { Exchange } from "../http/exchange";
import { type Ticking, unwatch, watch } from "../net/ticker";
import type { Judged } from "./dispatch-state";
import type { HedgePolicy } from "./hedge-policy";
import { OUTRUN, type Tried } from "./try-channel";

export type HedgeRaceSettings = {
  exchange: Exchange;
  hedging: HedgePolicy;
  /** The name of the channel's usual times. */
  timesOf: (channel: SnapshotChannel) => string;
  /** Until the first channel is given up: there is nothing to hedge later. */
  limitMs: number;
  /** Another channel that may be asked now, with a place at it; null = there is none. */
  choose: () => SnapshotChannel | null | Promise<SnapshotChannel | null>;
  /** `nth`: 0 for the first channel. Resolves with OUTRUN when another lane leads. */
  ask: (channel: SnapshotChannel, lane: Lane, nth: number) => Promise<Tried>;
  /** A channel failed while the other one is still being asked. */
  failed: (channel: SnapshotChannel, failed: Judged) => void;
  /** A chosen channel was not asked, with the error where that was not decided by us. */
  notAsked: (channel: SnapshotChannel | null, error?: unknown) => void;
};

/** What became of one channel or two. `count`: how many were asked. `channel`: the one that the result is from. */
export type Asked = { channel: SnapshotChannel; result: Tried; count: number };

/**
 * Asks a channel, and a second one when the first has nothing for the caller after the time in which it usually has. The
 * first that has something delivers, and the other is cancelled. If one fails before that, the other goes on alone.
 */
export function raceChannels(settings: HedgeRaceSettings, channel: SnapshotChannel): Promise<Asked> {
  return new Promise((resolve, reject) => new HedgeRace(settings, channel, resolve, reject).start());
}

class HedgeRace implements Ticking {
  place = -1;
  private readonly settings: HedgeRaceSettings;
  private readonly channel: SnapshotChannel;
  /** The name of its usual times. */
  private readonly name: string;
  private readonly resolve: (asked: Asked) => void;
  private readonly reject: (error: unknown) => void;
  private readonly race: Race;
  private readonly first: Lane;
  private second: SnapshotChannel | null = null;
  private running = 0;
  /** What failed while the other one went on. */
  private before: { channel: SnapshotChannel; result: Judged } | null = null;
  private afterMs = 0;
  private isOver = false;

  constructor(
    settings: HedgeRaceSettings,
    channel: SnapshotChannel,
    resolve: (asked: Asked) => void,
    reject: (error: unknown) => void,
  ) {
    this.settings = settings;
    this.channel = channel;
    this.name = settings.timesOf(channel);
    this.resolve = resolve;
    this.reject = reject;
    this.race = new Race(settings.exchange, (lane, isAnswer) => this.onLead(lane, isAnswer));
    this.first = this.race.enter();
  }

  start(): void {
    const { hedging, limitMs } = this.settings;
    const usualMs = hedging.times.p95(this.name, performance.now());
    this.follow(this.channel, this.first, 0);
    if (usualMs === null || this.isOver) return;
    this.afterMs = Math.min(Math.max(usualMs, hedging.leastMs), limitMs);
    watch(this);
  }

  onTick(now: number): void {
    const { startedAt } = this.first;
    // Its request is still being prepared.
    if (startedAt === 0 || now - startedAt < this.afterMs) return;
    unwatch(this);
    const { hedging, choose } = this.settings;
    if (!hedging.share.hasRoom) return;
    hedging.share.take();
    const choosing = choose();
    if (choosing instanceof Promise) choosing.then(this.join, (error: unknown) => this.join(null, error));
    else this.join(choosing);
  }

  private readonly join = (channel: SnapshotChannel | null, error?: unknown): void => {
    const { hedging, notAsked } = this.settings;
    if (channel && !this.isOver && !this.race.leader) {
      this.second = channel;
      this.follow(channel, this.race.enter(), 1);
      return;
    }
    hedging.share.giveBack();
    notAsked(channel, error);
  };

  private follow(channel: SnapshotChannel, lane: Lane, nth: number): void {
    this.running += 1;
    this.settings.ask(channel, lane, nth).then(
      (result) => this.ended(channel, lane, result),
      (error: unknown) => this.crashed(channel, lane, error),
    );
  }

  private ended(channel: SnapshotChannel, lane: Lane, result: Tried): void {
    this.running -= 1;
    lane.leave();
    if (result === OUTRUN) return;
    if (result.outcome !== "failed") this.finish(channel, result);
    else if (this.running > 0) {
      this.settings.failed(channel, result);
      this.before = { channel, result };
    } else if (this.before?.result.retry === false) {
      // What is wrong with the request itself says more than how another channel failed.
      this.settings.failed(channel, result);
      this.finish(this.before.channel, this.before.result);
    } else this.finish(channel, result);
  }

  /** The request could not even be made for the channel. */
  private crashed(channel: SnapshotChannel, lane: Lane, error: unknown): void {
    this.running -= 1;
    lane.leave();
    if (this.isOver) return;
    const { running, before, race } = this;
    const isOther = race.leader !== lane && (running > 0 || before !== null);
    if (isOther) this.settings.notAsked(channel, error);
    // While another one runs, the request is its.
    if (isOther && running > 0) return;
    if (isOther && before) this.finish(before.channel, before.result);
    else {
      this.end();
      this.reject(error);
    }
  }

  private onLead(lane: Lane, isAnswer: boolean): void {
    const { hedging, timesOf } = this.settings;
    unwatch(this);
    if (!isAnswer) return;
    const now = performance.now();
    const { first, second } = this;
    const other = lane === first ? null : second;
    // How long the first one would have taken is not known, but it took longer than this.
    if (!other || first.isLost) hedging.times.add(this.name, now - first.startedAt, now);
    if (other) hedging.times.add(timesOf(other), now - lane.startedAt, now);
  }

  private finish(channel: SnapshotChannel, result: Tried): void {
    this.end();
    this.resolve({ channel, result, count: this.second ? 2 : 1 });
  }

  private end(): void {
    this.isOver = true;
    unwatch(this);
  }
}
