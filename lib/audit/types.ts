import type { Difference } from "./difference";

/** One entry as the audit log page shows it. */
export type AuditRow = {
  id: number;
  actorId: number | null;
  /** "" for a job or a deleted user. */
  actorName: string;
  /** "user", "job", "command-line" or "anonymous". */
  actorKind: string;
  action: string;
  subject: string;
  clientIp: string;
  createdAt: number;
  difference: Difference;
};

/** `next` is the `before` value of the next page; null on the last page. */
export type AuditPage = { items: AuditRow[]; next: number | null };
