import type { SnapshotChannel } from "@/lib/snapshot/store";
import type { TimeLimits } from "../http/attempt/time-limits";
import type { Delivery } from "../http/delivery";
import { type Continuing, type CutDelivery, continueStream, type Left } from "./continuation";
import { type DispatchSettings, type Judged, openPlan, type Run, take } from "./run";

/** What dispatch does with a channel. */
type TryChannel = (run: Run, channel: SnapshotChannel, attempt: number) => Promise<Delivery | Judged>;

const NO_MORE: Left = { hasOtherKeys: false, fault: null };

/** Lets other channels go on with a stream that broke off. `from`: null = it was one of another model. */
export function takeUp(
  run: Run,
  from: SnapshotChannel | null,
  attempt: number,
  cut: CutDelivery,
  tryChannel: TryChannel,
): Promise<Delivery> | Delivery {
  const { settings } = run;
  const { continuable: intake, exchange, seats, retryTimes, writers } = settings;
  if (!intake) return cut;
  run.plan ??= openPlan(settings);
  const { plan } = run;
  const again = settingsAgain(run);
  const last = from ?? run.used.at(-1);
  const leave: Continuing["leave"] = (channel, { hasOtherKeys, fault }) => {
    seats.end(channel);
    const now = performance.now();
    plan.failed(channel, now, now, { again: "never", isPassing: false, retryAfterMs: null, fault, hasOtherKeys });
  };
  if (from) leave(from, NO_MORE);
  return continueStream(cut, attempt, {
    exchange,
    intake,
    writers,
    leave,
    async next(attempts) {
      const now = performance.now();
      const isLate = last !== undefined && now - run.begunAt >= again.limitsOf(last).whole;
      const left = retryTimes - attempts + 1;
      const step = left < 1 || isLate || exchange.isGone ? null : plan.next(now, left);
      return step && (await take(run, step, attempts));
    },
    async ask(rest, channel, number, before) {
      const asking: Run = { ...run, settings: { ...again, intake: rest }, attempts: before };
      const result = await tryChannel(asking, channel, number);
      if ("outcome" in result) return { ...NO_MORE, delivery: result, attempts: result.attempts ?? before };
      const { hasOtherKeys, fault } = result;
      return { delivery: null, attempts: asking.attempts ?? before, hasOtherKeys, fault };
    },
  });
}

/** The limit of the whole is for the time until an answer runs: now from when it broke off. */
function settingsAgain({ settings, begunAt }: Run): DispatchSettings {
  const cutMs = performance.now() - begunAt;
  const limitsOf = (channel: SnapshotChannel): TimeLimits => {
    const limits = settings.limitsOf(channel);
    return { ...limits, whole: limits.whole + cutMs };
  };
  return { ...settings, limitsOf, hasOtherModel: () => false };
}
