import type { Meter, MeterPrices, MeterUsage } from "@/lib/meters";
import type { LOG_TYPE } from "@/lib/row-status";
import { NO_QUOTA, type Quota } from "./quota";

/** Usage of a request. promptTokens includes cached, cache-write and audio tokens; completionTokens includes audio. */
export type BilledUsage = {
  promptTokens: number;
  completionTokens: number;
  cachedTokens: number;
  cacheWriteTokens: number;
  audioPromptTokens: number;
  audioCompletionTokens: number;
  /** Of pictures in the prompt that were not cached, where the upstream tells; absent = 0. */
  imagePromptTokens?: number;
  /** Of the cached tokens, those of sound and of pictures; absent = 0. */
  cachedAudioTokens?: number;
  cachedImageTokens?: number;
  /** What is not counted in tokens: seconds, characters, pictures … Absent = nothing of the kind. */
  meters?: readonly MeterUsage[];
  /** The upstream counted `meters` itself, whatever `estimated` says of the tokens. */
  areMetersReported?: true;
  /** The upstream names their variant only at the end: until then they are charged as the dearest that fits. */
  areMetersOpen?: true;
  /** True = counted by the gateway, because the upstream sent no usage or none that can be true. */
  estimated: boolean;
  /** What the upstream reported beyond what the request can have caused; the rest is that bound. Absent = nothing. */
  rejected?: RejectedUsage;
};

export type RejectedUsage = {
  /** All of it as the upstream bills it; absent = what is not in these figures is not known. */
  reported?: BilledUsage;
  promptTokens: number;
  completionTokens: number;
  promptTokensMax: number;
  completionTokensMax: number;
  /** Beside tokens; absent = nothing of the kind. */
  meters?: readonly MeterUsage[];
};

export const NO_USAGE: BilledUsage = {
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  audioPromptTokens: 0,
  audioCompletionTokens: 0,
  estimated: false,
};

/** The price for one request; stored in its log row so that the charge can be recomputed. */
export type PriceRow = {
  modelRatio: number;
  /** Of a plain prompt token; absent = 1, as in every price list. */
  promptRatio?: number;
  completionRatio: number;
  cacheRatio: number;
  createCacheRatio: number;
  audioRatio: number;
  audioCompletionRatio: number;
  /** Absent here and below = a cached token of any kind costs `cacheRatio`, and a token of a picture as much as one of text. */
  audioCacheRatio?: number;
  imageRatio?: number;
  imageCacheRatio?: number;
  /** USD per call; null = priced by tokens or by meters. */
  modelPrice: number | null;
  /** USD per unit of each meter; absent = the model has none of its own. */
  meterPrices?: MeterPrices;
  /** Tokens have no price: only requests with meters are taken. */
  metersOnly?: true;
  groupRatio: number;
  quotaPerUnit: number;
};

/** Kinds of tokens, in the order of a bill: those of the prompt first. */
export const PROMPT_KINDS = [
  "prompt",
  "cached",
  "cachedAudio",
  "cachedImage",
  "cacheWrite",
  "audioPrompt",
  "imagePrompt",
] as const;
export const COMPLETION_KINDS = ["completion", "audioCompletion"] as const;
export type TokenKind = (typeof PROMPT_KINDS)[number] | (typeof COMPLETION_KINDS)[number];
export type ChargeKind = TokenKind | "call" | Meter;

/** amount = quantity × unitPrice × group ratio, to within one unit: amounts are whole numbers and add up to the charge. */
export type ChargeLine = {
  kind: ChargeKind;
  variant?: string;
  quantity: number;
  unitPrice: number;
  amount: Quota;
  /** The model that it is for, where that is not the row's. */
  model?: string;
};

/** `unpriced`: what was used and has no price, and is not in the amount; absent = nothing. */
export type Charge = { quota: Quota; lines: ChargeLine[]; unpriced?: readonly string[] };

/** The options that decide a price, as parsed by the option registry. */
export type PriceOptions = {
  ModelRatio: Readonly<Record<string, number>>;
  CompletionRatio: Readonly<Record<string, number>>;
  ModelPrice: Readonly<Record<string, number>>;
  CacheRatio: Readonly<Record<string, number>>;
  /** Absent = none is set. */
  CreateCacheRatio?: Readonly<Record<string, number>>;
  /** Of sound and pictures (media-prices.ts). Absent = none is set. */
  AudioRatio?: Readonly<Record<string, number>>;
  AudioCompletionRatio?: Readonly<Record<string, number>>;
  AudioCacheRatio?: Readonly<Record<string, number>>;
  ImageRatio?: Readonly<Record<string, number>>;
  ImageCacheRatio?: Readonly<Record<string, number>>;
  /** Model → prices of its meters. Absent = none is set. */
  ModelMeterPrices?: Readonly<Record<string, MeterPrices>>;
  QuotaPerUnit: number;
  SelfUseModeEnabled: boolean;
};

/** Quota reserved in memory for one request until `settle` or `release`. */
export type Reservation = { readonly userId: number; readonly tokenId: number | null; readonly amount: number };

/** `isHeld`: the balance would suffice, but running requests or other processes hold the rest of it at the moment. */
export type Refusal = { refused: "user" | "token"; isHeld?: true };

/** What the upstreams should bill for all attempts of a request. */
export type CostSum = {
  /** As far as known; null = nothing of it is known. Never 0 while anything is unknown. */
  quota: Quota | null;
  /** The part of it for which nobody is charged. */
  unbilled: Quota;
  /** Attempts whose cost is not known. */
  unknown: number;
};

export const NO_COST: CostSum = { quota: NO_QUOTA, unbilled: NO_QUOTA, unknown: 0 };

/** What the caller of a failed request was told. */
export type SettledFailure = {
  /** HTTP status. */
  status: number;
  /** Of the error; "" = it had none. */
  code: string;
  /** How many more requests failed in the same way and have no row of their own. */
  repeats?: number;
};

export type Settlement = {
  requestId: string;
  /** Unix seconds. Part of the unique key, so a retry must carry the same value. */
  createdAt: number;
  /** An error has quota 0 and is only logged, not counted anywhere else. System: what ended later changes what was charged. */
  type: typeof LOG_TYPE.consume | typeof LOG_TYPE.error | typeof LOG_TYPE.system;
  userId: number;
  username: string;
  /** 0 = no token (playground). */
  tokenId: number;
  tokenName: string;
  /** 0 = the request reached no channel. */
  channelId: number;
  modelName: string;
  group: string;
  usage: BilledUsage;
  quota: Quota;
  cost: CostSum;
  useTimeMs: number;
  firstTokenMs: number | null;
  isStream: boolean;
  /** null = nothing was reserved. */
  reservation: Reservation | null;
  content: string;
  /** Absent = it did not fail. */
  failure?: SettledFailure | undefined;
  other: Record<string, unknown>;
  clientIp: string;
  /** Stored only to keep the request id unique, never listed (LogConsumeEnabled off). */
  hidden: boolean;
  /** What the upstream keeps for the user from now on; undefined = nothing. */
  objects?: readonly UpstreamObject[] | undefined;
  /** The task that an upstream has taken, as columns of the table tasks; undefined = none. */
  task?: Readonly<Record<string, unknown>> | undefined;
  /** Its answer ends after the commit, wherever else the charge is safe. Not stored. */
  waitsForCommit?: boolean;
};

/** An object that only one account of an upstream has: a channel, and one of its keys. */
export type UpstreamObject = {
  kind: string;
  id: string;
  channelId: number;
  keyHash: string;
  lifetimeSeconds: number;
  /** Of the answer that it belongs to, with its prompt; absent = not known. */
  tokens?: number;
};
