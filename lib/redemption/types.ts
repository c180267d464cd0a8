import { nowSeconds } from "@/lib/clock";

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

/** Whether a code credits nothing any more because its time is over. */
export function isExpired({ expiredTime }: Pick<Redemption, "expiredTime">): boolean {
  return expiredTime !== 0 && expiredTime <= nowSeconds();
}
