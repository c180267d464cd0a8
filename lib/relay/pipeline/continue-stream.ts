import type { SnapshotChannel } from "@/lib/snapshot/store";
import type { CutDelivery, Delivery } from "../http/delivery";
import { type Continuing, type Left, runContinuation } from "./continuation";
import { type DispatchState, limitsAt, openPlan, take } from "./dispatch-state";
import { tryChannel } from "./try-channel";

const NO_MORE: Left = { hasOtherKeys: false, fault: null };

/** Lets other channels go on with a stream that broke off. `from`: null = it was one of another model. */
export function continueStream(
  run: DispatchState,
  from: SnapshotChannel | null,
  attempt: number,
  cut: CutDelivery,
): Promise<Delivery> | Delivery {
  const { settings } = run;
  const { continuable: intake, exchange, seats, retryTimes, writers } = settings;
  if (!intake) return cut;
  run.plan ??= openPlan(settings);
  const { plan } = run;
  // The limit of the whole is for the time until an answer runs: now from when it broke off.
  const again = { ...settings, wholeAddedMs: performance.now() - run.begunAt, otherModels: null };
  const last = from ?? run.used.at(-1);
  const leave: Continuing["leave"] = (channel, { hasOtherKeys, fault }) => {
    seats.end(channel);
    const now = performance.now();
    plan.failed(channel, now, now, { again: "never", isTransient: false, retryAfterMs: null, fault, hasOtherKeys });
  };
  if (from) leave(from, NO_MORE);
  return runContinuation(cut, attempt, {
    exchange,
    intake,
    writers,
    leave,
    async next(attempts) {
      const now = performance.now();
      const isLate = last !== undefined && now - run.begunAt >= limitsAt(again, last).whole;
      const left = retryTimes - attempts + 1;
      const step = left < 1 || isLate || exchange.isGone ? null : plan.next(now, left);
      return step && (await take(run, step, attempts));
    },
    async ask(rest, channel, number, before) {
      const asking: DispatchState = { ...run, settings: { ...again, intake: rest }, attempts: before };
      const tried = await tryChannel(asking, channel, number);
      if (tried.outcome !== "failed") return { ...NO_MORE, delivery: tried, attempts: tried.attempts ?? before };
      const { hasOtherKeys, fault } = tried;
      return { delivery: null, attempts: asking.attempts ?? before, hasOtherKeys, fault };
    },
  });
}
