import { z } from "zod";

const text = z.string().trim().max(200).default("");
const seconds = z.number().int().min(0).max(253_402_300_799).optional();

/** Filters of the audit log. Times are unix seconds, inclusive. */
export const auditSearchSchema = z.object(
  {
    /** A user id or an exact user name. */
    actor: text,
    action: text,
    /** A subject such as "channel:7"; with a colon at the end it is a prefix. */
    subject: text,
    from: seconds,
    to: seconds,
    /** Only entries with a smaller id. */
    before: z.number().int().positive().max(Number.MAX_SAFE_INTEGER).optional(),
  },
  "auditSearchInvalid",
);

export type AuditSearch = z.input<typeof auditSearchSchema>;
export type ParsedAuditSearch = z.output<typeof auditSearchSchema>;
