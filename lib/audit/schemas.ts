import { z } from "zod";

const text = z.string().trim().max(200).default("");
const seconds = z.number().int().min(0).max(253_402_300_799).optional();

/** Filters of the audit log. Times are unix seconds, both inclusive. */
export const auditSearchSchema = z.object(
  {
    /** The id of a user or exactly their name. */
    actor: text,
    action: text,
    /** A subject such as "channel:7", or its beginning when it ends in a colon. */
    subject: text,
    from: seconds,
    to: seconds,
    /** Entries with a smaller id than this. */
    before: z.number().int().positive().max(Number.MAX_SAFE_INTEGER).optional(),
  },
  "auditSearchInvalid",
);

export type AuditSearch = z.input<typeof auditSearchSchema>;
export type ParsedAuditSearch = z.output<typeof auditSearchSchema>;
