export type Redemption = {
  id: number;
  /** The administrator who created it. */
  userId: number;
  /** 32 hex characters. */
  key: string;
  status: number;
  name: string;
  quota: number;
  createdTime: number;
  redeemedTime: number;
  /** 0 = unused. */
  usedUserId: number;
};
