/** An API token as its owner sees it; never with the key. */
export type Token = {
  id: number;
  userId: number;
  /** First and last four characters of the key. */
  keyHint: string;
  /** As in force now: an enabled token past its expiry shows as expired, without quota as exhausted. */
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
  /** One address or CIDR range a line. */
  allowIps: string;
  denyIps: string;
  /** Empty = the group of the user. */
  group: string;
  /** Requests in each `rateLimitSeconds`; 0 = no limit of its own. */
  rateLimitCount: number;
  rateLimitSeconds: number;
  /** Empty = the usual text. */
  rateLimitMessage: string;
};

/** What a token used in each of the last seven spans of 24 hours, oldest first; the last one ends with this hour. */
export type TokenUsage = { quota: number[]; count: number };
