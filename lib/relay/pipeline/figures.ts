import type { InHand } from "../http/in-hand";
import type { Circuits } from "../routing/circuits";
import type { RunningStreams } from "./running-streams";

/** What a relay is doing at the moment. */
export type RelayFigures = { inHand: number; streams: number; circuits: ReturnType<Circuits["counts"]> };

type Shared = { streams: RunningStreams; circuits: Circuits };

export function figuresOf(inHand: InHand, { streams, circuits }: Shared): () => RelayFigures {
  return () => ({ inHand: inHand.count(), streams: streams.count(), circuits: circuits.counts() });
}
