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
  /** From then on it credits nothing; 0 = never. */
  expiredTime: number;
  /** 0 = unused. */
  usedUserId: number;
};
