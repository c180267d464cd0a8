/** An asynchronous task (music, video). Times are unix seconds, 0 = not yet. */
export type Task = {
  id: number;
  createdAt: number;
  updatedAt: number;
  taskId: string;
  platform: string;
  userId: number;
  /** 0 for ordinary users. */
  channelId: number;
  quota: number;
  action: string;
  status: string;
  failReason: string;
  submitTime: number;
  startTime: number;
  finishTime: number;
  progress: string;
  /** Addresses of what was made, the main one first. */
  results: readonly string[];
  /** The upstream's response, unchanged. */
  data: unknown;
  /** Whether /pg/videos/{id}/content may have a file. */
  hasVideo: boolean;
};
