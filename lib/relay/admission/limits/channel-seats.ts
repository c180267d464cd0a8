import type { ChannelLimits, SnapshotChannel, Tier } from "@/lib/snapshot/store";
import { RelayError } from "../../base/relay-error";
import type { Exchange } from "../../http/exchange";
import { type Choice, chooseChannel } from "../../routing/plan/choose-channel";
import { throwAway } from "./away";
import type { Allowance } from "./commands";
import type { Concurrency } from "./concurrency";
import type { RateLimiter } from "./rate-limiter";
import { type QueueTerms, takeTurn } from "./turns";

type ChannelChoice = Choice<SnapshotChannel>;

/** The places of one request in the limits of channels. */
export type ChannelSeats = {
  /**
   * Chooses among the channels that have room; null = there is none. Where all are full at the first attempt, it waits
   * for its turn as far as it may, and then rejects with 429.
   */
  choose(choice: ChannelChoice): SnapshotChannel | null | Promise<SnapshotChannel | null>;
  /** An attempt at a channel ended without an answer. */
  end(channel: SnapshotChannel): void;
  /** The request is over, and used so many tokens of the channel that answered. */
  leave(tokens: number): void;
};

/** Where no channel has limits. */
export const NO_SEATS: ChannelSeats = Object.freeze({ choose: chooseChannel, end: () => {}, leave: () => {} });

type Seat = { channel: SnapshotChannel; limits: ChannelLimits; tokens: { amount: number; window: number } | null };
type Full = { channel: SnapshotChannel; retryAfter: number; isBusy: boolean };

export const CHANNELS_FULL = "channels_at_limit";

const MINUTE = 60;
const BUSY_RETRY_SECONDS = 1;

const subjectOf = ({ id }: SnapshotChannel): string => `c${id}`;
const perMinute = (subject: string, limit: number): Allowance => ({ subject, limit, seconds: MINUTE });
const requestsOf = (channel: SnapshotChannel, { requestsPerMinute }: ChannelLimits): Allowance =>
  perMinute(`c${channel.id}`, requestsPerMinute);
const tokensOf = (channel: SnapshotChannel, { tokensPerMinute }: ChannelLimits): Allowance =>
  perMinute(`ct${channel.id}`, tokensPerMinute);

export type SeatSettings = {
  rates: RateLimiter;
  places: Concurrency;
  exchange: Exchange;
  userId: number;
  /** What the request is taken to use. */
  expectedTokens: number;
  queue: QueueTerms;
};

export class LimitedSeats implements ChannelSeats {
  private readonly settings: SeatSettings;
  private seats: Seat[] = [];

  constructor(settings: SeatSettings) {
    this.settings = settings;
  }

  choose(choice: ChannelChoice): SnapshotChannel | null | Promise<SnapshotChannel | null> {
    const channel = chooseChannel(choice);
    return channel?.limits ? this.chooseOpen(choice) : channel;
  }

  private async chooseOpen(choice: ChannelChoice): Promise<SnapshotChannel | null> {
    const full: Full[] = [];
    for (;;) {
      const channel = chooseChannel(full.length === 0 ? choice : { ...choice, tiers: without(choice.tiers, full) });
      if (!channel) break;
      const refused = await this.take(channel, 0);
      if (!refused) return channel;
      full.push(refused);
    }
    if (full.length === 0 || choice.attempt > 0) return null;
    return this.waitOrRefuse(choice, full);
  }

  /** Waits at the channel that would be the choice among those that only have too many requests at once. */
  private async waitOrRefuse(choice: ChannelChoice, full: Full[]): Promise<SnapshotChannel> {
    const { queue } = this.settings;
    const limited = full.filter(({ isBusy }) => !isBusy);
    const preferred = queue.waitMs > 0 ? chooseChannel({ ...choice, tiers: without(choice.tiers, limited) }) : null;
    const refused = preferred ? await this.take(preferred, queue.waitMs) : null;
    if (preferred && !refused) return preferred;
    throw allFull(refused ? [...full, refused] : full, queue);
  }

  /** Null = it has room. */
  private async take(channel: SnapshotChannel, waitMs: number): Promise<Full | null> {
    const { limits } = channel;
    if (!limits) return null;
    const { places, exchange, userId, queue } = this.settings;
    if (limits.concurrency > 0) {
      const ask = { ...queue, subject: subjectOf(channel), limit: limits.concurrency, owner: userId, waitMs };
      if (!(await takeTurn(places, ask, exchange))) {
        return { channel, retryAfter: BUSY_RETRY_SECONDS, isBusy: true };
      }
    }
    const seat: Seat = { channel, limits, tokens: null };
    try {
      const refused = await this.count(seat);
      if (!refused) {
        this.seats.push(seat);
        return null;
      }
      this.free(seat);
      return { channel, retryAfter: refused, isBusy: false };
    } catch (error) {
      this.free(seat);
      return throwAway(error);
    }
  }

  /** Counts the request and its tokens. Returns 0, or in how many seconds there is room. */
  private async count(seat: Seat): Promise<number> {
    const { rates, expectedTokens } = this.settings;
    const { channel, limits } = seat;
    const requests = requestsOf(channel, limits);
    if (limits.requestsPerMinute > 0) {
      const answer = await rates.admit(requests);
      if (answer !== true) return answer.retryAfter;
    }
    if (limits.tokensPerMinute > 0) {
      const tokens = tokensOf(channel, limits);
      const amount = Math.min(expectedTokens, limits.tokensPerMinute);
      const answer = await rates.admit(tokens, amount);
      if (answer !== true) {
        if (limits.requestsPerMinute > 0) rates.giveBack(requests);
        return answer.retryAfter;
      }
      seat.tokens = { amount, window: rates.windowOf(tokens) };
    }
    return 0;
  }

  end(channel: SnapshotChannel): void {
    const at = this.seats.findIndex((seat) => seat.channel === channel);
    if (at >= 0) for (const seat of this.seats.splice(at, 1)) this.settle(seat, 0);
  }

  leave(tokens: number): void {
    for (const seat of this.seats) this.settle(seat, tokens);
    this.seats = [];
  }

  private settle(seat: Seat, used: number): void {
    const { tokens, channel, limits } = seat;
    if (tokens) this.settings.rates.settle(tokensOf(channel, limits), tokens.window, tokens.amount, used);
    this.free(seat);
  }

  private free({ channel, limits }: Seat): void {
    if (limits.concurrency > 0) this.settings.places.leave(subjectOf(channel));
  }
}

function without(tiers: readonly Tier[], full: readonly Full[]): Tier[] {
  return tiers.map((tier) => tier.filter((one) => !full.some(({ channel }) => channel === one)));
}

function allFull(full: readonly Full[], { waitMs }: QueueTerms): RelayError {
  const retryAfter = Math.max(Math.min(...full.map((one) => one.retryAfter)), Math.ceil(waitMs / 10_000));
  return new RelayError(CHANNELS_FULL, { wait: retryAfter }, { retryAfter });
}
