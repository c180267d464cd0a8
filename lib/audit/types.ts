import type { Difference } from "./difference";

/** One entry of the audit log as its page shows it. */
export type AuditRow = {
  id: number;
  actorId: number | null;
  /** The user's name, or "" for a job or a user that is gone. */
  actorName: string;
  /** "user", "job" or "anonymous". */
  actorKind: string;
  action: string;
  subject: string;
  clientIp: string;
  createdAt: number;
  difference: Difference;
};

/** A page by key: `next` is the id to go on before, null at the end. */
export type AuditPage = { items: AuditRow[]; next: number | null };
