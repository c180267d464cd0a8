import type { ActionResult } from "@/lib/http/action";

export type LogUser = { id: number; username: string; quota: number; usedQuota: number; requestCount: number };

export type LogActions = {
  findLogUser: (input: { id: number }) => Promise<ActionResult<LogUser>>;
  saveView: (input: { page: "log"; name: string; query: string }) => Promise<ActionResult<{ id: number }>>;
  renameView: (input: { id: number; name: string }) => Promise<ActionResult<unknown>>;
  deleteView: (input: { id: number }) => Promise<ActionResult<unknown>>;
};
