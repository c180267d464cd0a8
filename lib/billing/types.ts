import type { LOG_TYPE } from "@/lib/row-status";
import type { Quota } from "./quota";

/** What a request used. promptTokens includes cached, cache-write and audio tokens; completionTokens includes audio. */
export type BilledUsage = {
  promptTokens: number;
  completionTokens: number;
  cachedTokens: number;
  cacheWriteTokens: number;
  audioPromptTokens: number;
  audioCompletionTokens: number;
  /** Counted by us because the upstream sent no usage. */
  estimated: boolean;
};

/** The price in force for one request; stored with its log so that the charge can be recomputed. */
export type PriceRow = {
  modelRatio: number;
  completionRatio: number;
  cacheRatio: number;
  createCacheRatio: number;
  audioRatio: number;
  audioCompletionRatio: number;
  /** USD per call; null = priced by tokens. */
  modelPrice: number | null;
  groupRatio: number;
  quotaPerUnit: number;
};

export type ChargeKind = "prompt" | "cached" | "cacheWrite" | "audioPrompt" | "completion" | "audioCompletion" | "call";

/** quantity × unitPrice × group ratio = amount, to within one unit: the amounts are whole and add up to the charge. */
export type ChargeLine = { kind: ChargeKind; quantity: number; unitPrice: number; amount: Quota };

export type Charge = { quota: Quota; lines: ChargeLine[] };

/** The option values that decide a price, as the option registry parses them. */
export type PriceOptions = {
  ModelRatio: Readonly<Record<string, number>>;
  CompletionRatio: Readonly<Record<string, number>>;
  ModelPrice: Readonly<Record<string, number>>;
  CacheRatio: Readonly<Record<string, number>>;
  QuotaPerUnit: number;
  SelfUseModeEnabled: boolean;
};

/** Quota set aside in memory for one request, until `settle` or `release` takes it; opaque to everyone else. */
export type Reservation = { readonly userId: number; readonly tokenId: number | null; readonly amount: number };

export type Refusal = { refused: "user" | "token" };

export type Settlement = {
  requestId: string;
  /** Unix seconds; part of the unique key, so a replay carries the same moment. */
  createdAt: number;
  /** An error carries no quota and counts nowhere but in the log. */
  type: typeof LOG_TYPE.consume | typeof LOG_TYPE.error;
  userId: number;
  username: string;
  /** 0 = no token (playground). */
  tokenId: number;
  tokenName: string;
  /** 0 = no channel was reached. */
  channelId: number;
  modelName: string;
  group: string;
  usage: BilledUsage;
  quota: Quota;
  useTimeMs: number;
  firstTokenMs: number | null;
  isStream: boolean;
  /** null = nothing was reserved. */
  reservation: Reservation | null;
  content: string;
  other: Record<string, unknown>;
  clientIp: string;
  /** Kept for the uniqueness of the request only, never listed (LogConsumeEnabled off). */
  hidden: boolean;
};
