import { exportAudit } from "@/lib/audit/export-commands";
import { limited } from "@/lib/http/rate-limit";
import { exportReply } from "../../export-reply";
import { timeZoneOf } from "../../time-zone";
import { loadAuditSearch, toAuditSearch } from "../search-params";

export const dynamic = "force-dynamic";

/** Exports the entries that match the filters in the URL. */
export const GET = limited("global", "action", (request) => {
  return exportReply(request, "audit-log", (ctx, params, format, words) =>
    exportAudit(ctx, toAuditSearch({ ...loadAuditSearch(params), before: null }, timeZoneOf(request)), format, words),
  );
});
