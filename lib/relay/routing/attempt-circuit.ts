import type { CircuitCause } from "@/lib/row-status";
import type { SnapshotChannel, Tier } from "@/lib/snapshot/store";
import { upstreamModelOf } from "@/lib/snapshot/upstream-model";
import type { AttemptFailure } from "../base/classify-failure";
import { rows } from "../providers/rows";
import type { Circuits, Trial } from "./circuits";
import { circuitCause } from "./circuits/circuit-cause";
import type { Route } from "./route";

/** What dispatch needs to know here: whose circuits they are, and which model the request names. */
type Asking = { circuits: Circuits; route: Pick<Route, "tiers">; passThrough: boolean; intake: { model: string } };

/** The circuit of one attempt. */
export type AttemptCircuit = {
  circuits: Circuits;
  channel: SnapshotChannel;
  /** The upstream's name of the model. */
  model: string;
  /** Null = the circuit was closed when the attempt began. */
  trial: Trial | null;
};

/** Whether a channel of the route is tried last for this request's model. */
export function openCircuits(asking: Asking): (channelId: number) => boolean {
  const { circuits, route } = asking;
  return (id) => {
    if (!circuits.hasOpen) return false;
    for (const tier of route.tiers) {
      for (const channel of tier) if (channel.id === id) return circuits.isOpen(id, upstreamModel(asking, channel));
    }
    return false;
  };
}

/**
 * Claims the probe of the first channel in this order whose rest is over; channels behind one that is well are not looked
 * at. Null = there is none, or another request has it. A promise only where the other processes are asked.
 */
export function claimProbe(
  asking: Asking,
  order: readonly Tier[],
  tried: ReadonlySet<number>,
): SnapshotChannel | null | Promise<SnapshotChannel | null> {
  const { circuits } = asking;
  if (!circuits.hasOpen) return null;
  for (const tier of order) {
    const untried = tier.filter(({ id }) => !tried.has(id));
    const due = untried.find((channel) => circuits.isDue(channel.id, upstreamModel(asking, channel)));
    if (due) {
      const claimed = circuits.claim(due.id, upstreamModel(asking, due));
      if (claimed instanceof Promise) return claimed.then((isGranted) => (isGranted ? due : null));
      return claimed ? due : null;
    }
    if (untried.some((channel) => !circuits.isOpen(channel.id, upstreamModel(asking, channel)))) return null;
  }
  return null;
}

export function beginAttempt(asking: Asking, channel: SnapshotChannel): AttemptCircuit {
  const { circuits } = asking;
  const model = upstreamModel(asking, channel);
  return { circuits, channel, model, trial: circuits.begin(channel.id, model) };
}

function upstreamModel({ intake, passThrough }: Asking, channel: SnapshotChannel): string {
  return upstreamModelOf(intake.model, channel, passThrough) ?? intake.model;
}

/** For `onFirst` of an attempt; undefined where nobody wants to know. */
export function whenAnswering({ circuits, trial }: AttemptCircuit): (() => void) | undefined {
  return trial ? () => circuits.answering(trial) : undefined;
}

/** `outcome`: that of a delivery. */
export function tellDelivery({ circuits, channel, model, trial }: AttemptCircuit, outcome: string): void {
  if (outcome === "gone") circuits.abandoned(trial);
  else if (outcome === "cut") circuits.failed(channel.id, model, { cause: "cut", retryAfterMs: null }, trial);
  else circuits.succeeded(channel.id, model, trial);
}

/**
 * Returns what the failure says of the channel. A refused or limited key says nothing about the channel while it has
 * other keys, and neither does a refusal of a request that another channel's account refused before: it may be the request.
 */
export function tellFailure(
  attempt: AttemptCircuit,
  failure: AttemptFailure,
  { hasOtherKeys, wasRefused }: { hasOtherKeys: boolean; wasRefused: boolean },
): CircuitCause | null {
  const { circuits, channel, model, trial } = attempt;
  const isStatus = failure.kind === "status";
  const status = isStatus ? (channel.statusCodeMapping.get(failure.status) ?? failure.status) : 0;
  const found = hasOtherKeys ? null : circuitCause(failure, status, rows.get(channel.type)?.quirks ?? {});
  const cause = found === "key" && wasRefused ? null : found;
  if (cause === null) circuits.abandoned(trial);
  else circuits.failed(channel.id, model, { cause, retryAfterMs: isStatus ? failure.retryAfterMs : null }, trial);
  return cause;
}
