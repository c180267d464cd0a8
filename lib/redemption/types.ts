/** A redemption code as administrators see it. */
export type Redemption = {
  id: number;
  /** Who made it. */
  userId: number;
  /** 32 hex characters. */
  key: string;
  status: number;
  name: string;
  quota: number;
  createdTime: number;
  redeemedTime: number;
  /** 0 = nobody yet. */
  usedUserId: number;
};
