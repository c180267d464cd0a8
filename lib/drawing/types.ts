/** Times are unix milliseconds, 0 = not yet. */
export type Drawing = {
  id: number;
  code: number;
  userId: number;
  action: string;
  mjId: string;
  prompt: string;
  promptEn: string;
  description: string;
  state: string;
  submitTime: number;
  startTime: number;
  finishTime: number;
  imageUrl: string;
  status: string;
  /** E.g. "40%". */
  progress: string;
  failReason: string;
  /** 0 for ordinary users. */
  channelId: number;
  quota: number;
};
