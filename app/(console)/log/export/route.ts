import { nowSeconds } from "@/lib/clock";
import { AppError } from "@/lib/errors";
import { EXPORT_FORMATS } from "@/lib/log/export";
import { exportLogs } from "@/lib/log/export-commands";
import { defaultLogWindow } from "@/lib/log/window";
import { loadLogFilters, toLogSearch } from "../search-params";
import { failed, sessionContext } from "../session-context";

export const dynamic = "force-dynamic";

/** The rows that match the filters of the address, as a file: ?format=csv or jsonl. */
export async function GET(request: Request): Promise<Response> {
  try {
    const ctx = await sessionContext(request);
    const { searchParams } = new URL(request.url);
    const format = EXPORT_FORMATS.find((known) => known === searchParams.get("format"));
    if (!format) throw new AppError("invalid", "fieldInvalid", { field: "format" });
    const now = nowSeconds();
    const search = toLogSearch(loadLogFilters(searchParams), defaultLogWindow(now, ctx.actor.role));
    const { contentType, body } = await exportLogs(ctx, search, format);
    const day = new Date(now * 1000).toISOString().slice(0, 10);
    return new Response(body, {
      headers: {
        "content-type": contentType,
        "content-disposition": `attachment; filename="usage-logs-${day}.${format}"`,
        "cache-control": "no-store, no-transform",
        "x-content-type-options": "nosniff",
      },
    });
  } catch (error) {
    return failed(request, error);
  }
}
