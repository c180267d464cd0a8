import type { Answer } from "../../answers/answer";
import type { Connections } from "../../net/connections";
import type { UpstreamDrains } from "../../net/upstream-drains";
import type { UpstreamRequest } from "../../providers/requests/upstream-request";
import type { Exchange } from "../exchange";
import type { Lane } from "./race";
import type { TimeLimits } from "./time-limits";

export type AttemptSettings = {
  pool: Connections;
  request: UpstreamRequest;
  exchange: Exchange;
  isStream: boolean;
  /** What the upstream begins goes on by itself: its answer is waited for although the caller has left. */
  outlivesCaller?: boolean | undefined;
  /** What the caller's balance pays for. */
  budget: Budget;
  drains: Pick<UpstreamDrains, "begin">;
  asker: Asker;
  /** The first bytes go to the caller. */
  onFirst?: (() => void) | undefined;
  /** Use a connection that served no other request. */
  isFresh: boolean;
  limits: TimeLimits;
  /** When the first attempt of the request began; `limits.whole` and `limits.stream` count from then. */
  begunAt: number;
  /** How often the caller of a stream is told that we wait; Infinity = never. */
  keepAliveMs: number;
  /** Whether another channel could be asked now. */
  hasOther: () => boolean;
  /** Its place beside other attempts of the request; absent = it is alone. */
  lane?: Lane | undefined;
};

/** The request for which an upstream is asked. */
export type Asker = {
  /** The first bytes of an answer go to the caller. Called once for each answer. */
  streams(): void;
  /** The caller has left, and the upstream is drained: its places in its limits are free. */
  leavePlaces(): void;
};

/** What is asked beside requests. */
export const NOBODY: Asker = Object.freeze({ streams: () => {}, leavePlaces: () => {} });

/** Says whether a stream may go on; lib/relay/admission/stream-budget.ts. */
export type Budget = {
  /** To be called when an upstream is asked that cannot be told how long its answer may be. */
  follow(): void;
  readonly checkAt: number;
  check(
    delivered: number,
    resume: (verdict: "go" | "end") => void,
    answer: Pick<Answer, "report">,
  ): "go" | "wait" | "end";
};
