import type { Limits } from "../admission/limits";
import type { BodyBudget } from "../base/body-budget";
import type { BodyDeadline } from "../http/bodies/body-deadline";
import type { Captures } from "../http/capture";
import type { CommitWaits } from "../http/commit-waits";
import type { Spool } from "../http/forms/spool";
import type { Pools } from "../net/pools";
import type { UpstreamDrains } from "../net/upstream-drains";
import type { Affinity } from "../routing/affinity";
import type { Circuits } from "../routing/circuits";
import type { KeyRotation } from "../routing/key-rotation";
import type { HedgePolicyBy } from "./hedge-policy";
import type { RelaySettings } from "./relay-settings";
import type { RunningStreams } from "./running-streams";

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
  hedgePolicyBy: HedgePolicyBy;
  random: () => number;
  bodyBytesMax: number;
};
