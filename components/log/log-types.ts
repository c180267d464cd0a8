import type * as actions from "./actions";

export type LogUser = { id: number; username: string; quota: number; usedQuota: number; requestCount: number };

export type LogActions = Pick<typeof actions, "findLogUser">;
