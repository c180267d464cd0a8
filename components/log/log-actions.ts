import type { ActionResult } from "@/lib/http/action";

export type LogUser = { id: number; username: string; quota: number; usedQuota: number; requestCount: number };

export type LogActions = {
  findLogUser: (input: { id: number }) => Promise<ActionResult<LogUser>>;
};
