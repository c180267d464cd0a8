import { exportAudit } from "@/lib/audit/export-commands";
import { exportReply } from "../../export-reply";
import { timeZoneOf } from "../../time-zone";
import { loadAuditSearch, toAuditSearch } from "../search-params";

export const dynamic = "force-dynamic";

/** Exports the entries that match the filters in the URL. */
export function GET(request: Request): Promise<Response> {
  return exportReply(request, "audit-log", (ctx, params, format, words) =>
    exportAudit(ctx, toAuditSearch({ ...loadAuditSearch(params), before: null }, timeZoneOf(request)), format, words),
  );
}
