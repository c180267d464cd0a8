import { exportAudit } from "@/lib/audit/export-commands";
import { exportReply } from "../../export-reply";
import { loadAuditSearch, toAuditSearch } from "../search-params";

export const dynamic = "force-dynamic";

/** The entries that match the filters of the address, as a file. */
export function GET(request: Request): Promise<Response> {
  return exportReply(request, "audit-log", (ctx, params, format) =>
    exportAudit(ctx, toAuditSearch({ ...loadAuditSearch(params), before: null }), format),
  );
}
