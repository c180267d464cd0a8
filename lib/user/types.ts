/** An account as its owner and administrators see it; never with a password or an access token. */
export type User = {
  id: number;
  username: string;
  displayName: string;
  role: number;
  status: number;
  email: string | null;
  githubId: string | null;
  oidcId: string | null;
  wechatId: string | null;
  telegramId: string | null;
  linuxDoId: string | null;
  group: string;
  quota: number;
  usedQuota: number;
  requestCount: number;
  /** Maximum number of concurrent requests; 0 = no limit of its own. */
  concurrencyLimit: number;
  /** 0 = no limit, each of these. */
  requestsPerMinute: number;
  tokensPerMinute: number;
  /** Quota. */
  budgetDay: number;
  budgetWeek: number;
  budgetMonth: number;
  affCode: string | null;
  affCount: number;
  /** Pending invitation earnings, not yet moved to the balance. */
  affQuota: number;
  /** All invitation earnings so far. */
  affHistoryQuota: number;
  inviterId: number | null;
  setting: Record<string, unknown>;
  /** True while the generated initial password is still in use. */
  initialPassword: boolean;
  createdAt: number;
  deletedAt: Date | null;
};

/** A row of the user table. Fields that the administrator may not see are null (see listUsers). */
export type UserListItem = User & { inviterUsername: string | null };

/** What a change of several accounts shows of each. */
export type ChangeableUser = Pick<User, "id" | "username" | "group" | "status">;
