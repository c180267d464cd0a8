import type { Affinity } from "./affinity";
import type { Captures } from "./capture";
import type { Circuits } from "./circuits";
import type { Spool } from "./forms/spool";
import type { KeyRotation } from "./key-rotation";
import type { Limits } from "./limits";
import type { BodyBudget } from "./limits/body-budget";
import type { BodyDeadline } from "./limits/body-deadline";
import type { RelaySettings } from "./relay-settings";
import type { RunningStreams } from "./running-streams";
import type { HedgingBy } from "./stages/hedging";
import type { CommitWaits } from "./transport/commit-waits";
import type { Pools } from "./transport/pools";
import type { UpstreamDrains } from "./transport/upstream-drains";

/** State shared by all requests of this process. */
export type Shared = Omit<
  RelaySettings,
  "random" | "bodyBytesMax" | "bodyPace" | "uploadFolder" | "refusalLimits" | "nowSeconds"
> & {
  pools: Pools;
  bodyBudget: BodyBudget;
  bodyDeadline: BodyDeadline;
  spool: Spool;
  circuits: Circuits;
  keyRotation: KeyRotation;
  affinity: Affinity;
  limits: Limits;
  captures: Captures;
  streams: RunningStreams;
  drains: UpstreamDrains;
  commitWaits: CommitWaits;
  hedgingBy: HedgingBy;
  random: () => number;
  bodyBytesMax: number;
};
