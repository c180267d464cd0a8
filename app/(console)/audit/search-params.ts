import { createLoader } from "nuqs/server";
import { auditFilterParams } from "@/components/audit/audit-search";
import type { AuditSearch } from "@/lib/audit/schemas";
import { nowSeconds } from "@/lib/clock";
import { resolveTimes } from "@/lib/time-range";

export const loadAuditSearch = createLoader(auditFilterParams);

/** Drops URL values that make no sense instead of refusing them. */
export function toAuditSearch(params: Awaited<ReturnType<typeof loadAuditSearch>>, timeZone: string): AuditSearch {
  const { actor, action, subject, range, before } = params;
  const { start, end } = resolveTimes({ range, start: params.from, end: params.to }, nowSeconds(), timeZone);
  const moment = (seconds: number | null) => (seconds !== null && seconds >= 0 ? seconds : undefined);
  const text = (value: string) => value.slice(0, 200);
  const cursor = before !== null && before > 0 ? { before } : {};
  return {
    actor: text(actor),
    action: text(action),
    subject: text(subject),
    from: moment(start),
    to: moment(end),
    ...cursor,
  };
}
