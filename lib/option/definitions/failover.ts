import { z } from "zod";
import { isModelFallbacks, type ModelFallbacks } from "@/lib/model-fallbacks";
import {
  CONNECT_SECONDS_MAX,
  isModelLimitOverrides,
  LIMIT_SECONDS_MAX,
  type ModelLimitOverrides,
} from "@/lib/time-limits";
import { flag, jsonText, number, type OptionDefinition } from "../definition";

function limit(seconds: string, max = LIMIT_SECONDS_MAX) {
  return {
    schema: number({ min: 0, max }),
    default: seconds,
    delicate: false,
    running: "new",
    effect: "relay",
    card: "failover",
    unit: "seconds",
  } as const;
}

/** How long upstreams are waited for; docs/failover.md says what happens then. 0 = no limit. */
export const failoverOptions = {
  UpstreamConnectSeconds: limit("5", CONNECT_SECONDS_MAX),
  /** Until the headers of a streamed answer. */
  UpstreamFirstByteSeconds: limit("15"),
  /** Until the first byte of a whole answer's body. */
  UpstreamFirstByteWholeSeconds: limit("120"),
  /** From the headers of a streamed answer to its first token. */
  UpstreamFirstTokenSeconds: limit("10"),
  /** Both of these, where nobody else can be asked. */
  UpstreamAloneSeconds: limit("300"),
  UpstreamIdleSeconds: limit("30"),
  UpstreamWholeSeconds: limit("600"),
  UpstreamStreamSeconds: limit("3600"),
  /** What a request may wait in all for upstreams that ask to be asked later. */
  RetryWaitSeconds: limit("3", 60),
  /** How often the caller of a stream is told that we wait. */
  StreamKeepAliveSeconds: limit("15", 300),
  /** How long, and how much of, a stream is read on for its usage after its caller has left. */
  StreamDrainSeconds: { ...limit("10", 60), running: "all" },
  /** How long whole answers are, and streams that have brought nothing yet: upstreams bill the work on them in full. */
  UnseenDrainSeconds: { ...limit("300", LIMIT_SECONDS_MAX), running: "all" },
  StreamDrainKilobytes: {
    schema: number({ min: 0, max: 65_536 }),
    default: "8192",
    delicate: false,
    running: "all",
    effect: "relay",
    card: "failover",
    unit: "kilobytes",
  },
  /** How many answers of a process are read on at the same time, and of them how many of one user. */
  StreamDrainsMax: {
    schema: number({ min: 0, max: 10_000, integer: true }),
    default: "256",
    delicate: false,
    running: "all",
    effect: "relay",
    card: "failover",
  },
  StreamDrainsPerUserMax: {
    schema: number({ min: 0, max: 10_000, integer: true }),
    default: "64",
    delicate: false,
    running: "all",
    effect: "relay",
    card: "failover",
  },
  /** How many answers a user may leave within ten minutes whose upstreams had to be aborted; 0 = any number. */
  AbandonedRequestsMax: {
    schema: number({ min: 0, max: 1_000_000, integer: true }),
    default: "100",
    delicate: false,
    running: "new",
    effect: "relay",
    card: "failover",
  },
  /** How long after an answer its conversation prefers the same channel and key, whose cache holds the prompt. */
  AffinitySeconds: limit("300"),
  /** A second channel is asked when the first one is slower than usual. */
  HedgeSlowRequests: {
    schema: flag,
    default: "false",
    delicate: false,
    running: "new",
    effect: "relay",
    card: "failover",
  },
  /** How many of a hundred requests of a process may be hedged. */
  HedgeMaxShare: {
    schema: number({ min: 0, max: 100, integer: true }),
    default: "5",
    delicate: false,
    running: "new",
    effect: "relay",
    card: "failover",
    unit: "percent",
  },
  /** No request is hedged earlier. */
  HedgeLeastSeconds: limit("1", 60),
  /** Whether other channels go on with a stream that breaks off. */
  StreamContinuation: {
    schema: flag,
    default: "true",
    delicate: false,
    running: "new",
    effect: "relay",
    card: "failover",
  },
  /** Whether a stream that broke off may be continued by the models of ModelFallbacks; those that a caller names always may. */
  FallbackContinuation: {
    schema: flag,
    default: "false",
    delicate: false,
    running: "new",
    effect: "relay",
    card: "failover",
  },
  UpstreamModelLimits: {
    schema: jsonText(z.custom<ModelLimitOverrides>(isModelLimitOverrides), "limitMap"),
    default: "{}",
    delicate: false,
    running: "new",
    effect: "relay",
    card: "failover",
  },
  /** Asked in turn when no channel of a model answers, or there is none. */
  ModelFallbacks: {
    schema: jsonText(z.custom<ModelFallbacks>(isModelFallbacks), "fallbackMap"),
    default: "{}",
    delicate: false,
    running: "new",
    effect: "relay",
    card: "failover",
  },
} as const satisfies Record<string, OptionDefinition>;
