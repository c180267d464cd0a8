export const USER_STATUS = { enabled: 1, disabled: 2 } as const;

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
  affCode: string | null;
  affCount: number;
  affQuota: number;
  affHistoryQuota: number;
  inviterId: number | null;
  setting: Record<string, unknown>;
  /** True while the password given at creation by the system is still in use. */
  initialPassword: boolean;
  createdAt: number;
  deletedAt: Date | null;
};
