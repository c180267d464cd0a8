import type { TlsReason } from "@/lib/egress/tls-reason";
import type { OperationId } from "@/lib/operations";
import type { CircuitCause } from "@/lib/row-status";

/** Why and when (unix seconds) the system disabled a channel. */
export type ChannelOtherInfo = { status_reason?: string; status_time?: number };

/** An upstream account as administrators see it; never with the key. */
export type Channel = {
  id: number;
  type: number;
  /** Equal when two channels share a key; reveals nothing of it. */
  keyFingerprint: string;
  openaiOrganization: string;
  testModel: string;
  status: number;
  name: string;
  weight: number;
  priority: number;
  createdTime: number;
  testTime: number;
  /** Why the last test failed; "" = it passed, null = not known. */
  testError: string | null;
  /** Milliseconds of the last test that passed. */
  responseTime: number;
  baseUrl: string;
  other: string;
  /** USD. */
  balance: number;
  balanceUpdatedTime: number;
  /** Comma list. */
  models: string;
  /** Comma list. */
  group: string;
  usedQuota: number;
  /** JSON object in text, or empty. */
  modelMapping: string;
  /** JSON object in text, or empty. */
  statusCodeMapping: string;
  /** 1 = may be disabled automatically. */
  autoBan: number;
  otherInfo: ChannelOtherInfo;
  tag: string | null;
  /** JSON object in text, or empty. */
  setting: string;
  /** JSON object in text, or empty. */
  paramOverride: string;
  /** Requests, and tokens of models, within a minute, and requests at once; 0 = no limit. */
  requestsPerMinute: number;
  tokensPerMinute: number;
  concurrencyLimit: number;
  /** Whether its address and proxy may be on a private network. */
  privateAllowed: boolean;
};

export type ChannelTestResult = {
  model: string;
  /** What was asked for; absent = nothing could be. */
  operation?: OperationId;
  success: boolean;
  message: string;
  /** The upstream answered, but users cannot call the model, because it has no price. */
  isUnpriced?: true;
  /** The channel was disabled by the system and is enabled again, because it passed. */
  isEnabled?: true;
  timeMs: number;
  firstTokenMs?: number;
  status?: number;
  /** Why there was no secure connection. */
  tls?: TlsReason;
  /** What the upstream bills for it, in quota; null = not known. */
  cost: number | null;
};

/** One of several keys of a channel as administrators see it; never with the key text. */
export type ChannelKey = {
  id: number;
  fingerprint: string;
  status: number;
  /** Why the system disabled it. */
  reason: string;
  /** Unix seconds of the last change of status; 0 = never. */
  statusTime: number;
  createdTime: number;
};

/** An open circuit: the channel is tried last for the model. `model` is the upstream's name of it. */
export type ChannelCircuit = {
  model: string;
  cause: CircuitCause;
  /** Unix seconds. */
  openedAt: number;
  /** Until a single request tries the channel again; 0 = the next one does. */
  restSeconds: number;
  /** That request is on its way. */
  isProbed: boolean;
};

/** For a channel with several keys: how many there are, and how many are enabled. */
export type KeyCount = { total: number; inUse: number };
