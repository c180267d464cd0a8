/** A row of the usage log. For ordinary users everything about channels is left empty. */
export type UsageLog = {
  id: number;
  requestId: string;
  createdAt: number;
  type: number;
  userId: number;
  username: string;
  tokenId: number;
  tokenName: string;
  channelId: number;
  channelName: string;
  modelName: string;
  group: string;
  quota: number;
  promptTokens: number;
  completionTokens: number;
  useTimeMs: number;
  firstTokenMs: number | null;
  isStream: boolean;
  clientIp: string;
  content: string;
  /** Contract §5.8, and the lines of the charge. */
  other: Record<string, unknown>;
};

/** Money in the window, and the load of the last 60 seconds: requests and tokens a minute. */
export type UsageSum = { quota: number; rpm: number; tpm: number };
