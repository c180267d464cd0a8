import { nowSeconds } from "@/lib/clock";
import { limited } from "@/lib/http/rate-limit";
import { exportLogs } from "@/lib/usage-log/export-commands";
import { defaultLogWindow } from "@/lib/usage-log/window";
import { exportReply } from "../../export-reply";
import { timeZoneOf } from "../../time-zone";
import { loadLogFilters, toLogSearch } from "../search-params";

export const dynamic = "force-dynamic";

/** Exports the rows that match the filters in the URL: ?format=csv or jsonl. */
export const GET = limited("global", "action", (request) => {
  return exportReply(request, "usage-logs", (ctx, params, format, words) =>
    exportLogs(
      ctx,
      toLogSearch(loadLogFilters(params), defaultLogWindow(nowSeconds(), ctx.actor.role), timeZoneOf(request)),
      format,
      words,
    ),
  );
});
