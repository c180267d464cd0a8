import { logger } from "@/lib/logger";
import type { SnapshotChannel } from "@/lib/snapshot/store";
import { upstreamModelOf } from "@/lib/snapshot/upstream-model";
import { type DispatchState, hasOther, limitsAt, NONE, noteFailure, otherThan, seat } from "./dispatch-state";
import type { HedgePolicy } from "./hedge-policy";
import { type Asked, raceChannels } from "./hedge-race";
import { tryChannel } from "./try-channel";

/** Asks the channel, and a second one beside it if the first is slower than usual. */
export function hedgeAttempt(
  run: DispatchState,
  hedging: HedgePolicy,
  first: SnapshotChannel,
  attempt: number,
): Promise<Asked> {
  const { settings } = run;
  const { exchange, intake, seats, passThrough } = settings;
  const kind = intake.isStream ? "stream" : "whole";
  const { firstByte, firstByteWhole } = limitsAt(settings, first);
  return raceChannels(
    {
      exchange,
      hedging,
      timesOf: (channel) => `${channel.id} ${kind} ${upstreamModelOf(intake.model, channel, passThrough)}`,
      limitMs: intake.isStream ? firstByte : firstByteWhole,
      choose: () => chooseBeside(run, first, attempt),
      ask(channel, lane, nth) {
        if (nth > 0) run.hedged = [first.id, channel.id];
        return tryChannel(run, channel, attempt + nth, lane);
      },
      failed(channel, judged) {
        seats.end(channel);
        noteFailure(run, channel, performance.now(), judged);
      },
      notAsked(channel, error) {
        if (channel) seats.end(channel);
        if (error !== undefined) logger.warn({ err: error, request: exchange.id }, "no second channel was asked");
      },
    },
    first,
  );
}

/** A channel that was not asked yet, whose circuit is not open, and that has room. */
function chooseBeside(run: DispatchState, current: SnapshotChannel, attempt: number) {
  const { settings } = run;
  if (attempt > settings.retryTimes || !hasOther(run, current)) return null;
  const isOther = otherThan(run, current);
  const tiers = settings.route.tiers.map((tier) => tier.filter(isOther));
  return seat(settings, tiers, NONE, attempt);
}
