/** An API token as its owner sees it; never with the key. */
export type Token = {
  id: number;
  userId: number;
  /** First and last four characters of the key. */
  keyHint: string;
  /** The current status: an enabled token past its expiry shows as expired, without quota as exhausted. */
  status: number;
  name: string;
  createdTime: number;
  accessedTime: number;
  /** Unix seconds, -1 = never. */
  expiredTime: number;
  remainQuota: number;
  usedQuota: number;
  unlimitedQuota: boolean;
  modelLimitsEnabled: boolean;
  /** Comma list. */
  modelLimits: string;
  /** Comma list of what it may be used for; empty = everything. */
  operationLimits: string;
  /** One address or CIDR range per line. */
  allowIps: string;
  denyIps: string;
  /** Empty = the group of the user. */
  group: string;
  /** Requests per `rateLimitSeconds`; 0 = no limit of its own. */
  rateLimitCount: number;
  rateLimitSeconds: number;
  /** Empty = the default text. */
  rateLimitMessage: string;
  /** 0 = no limit of its own, each of these. */
  tokensPerMinute: number;
  concurrencyLimit: number;
  /** Quota. */
  budgetDay: number;
  budgetWeek: number;
  budgetMonth: number;
  /** Until when its requests are captured: 0 = they are not, -1 = until that is switched off. */
  captureUntil: number;
};

/** Usage in each of the last seven 24-hour periods, oldest first; the last one ends with the current hour. */
export type TokenUsage = { quota: number[]; count: number };
