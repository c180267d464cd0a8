import { nowSeconds } from "@/lib/clock";
import { ROLE } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { limited } from "@/lib/http/rate-limit";
import { loadOptions } from "@/lib/option/queries";
import { EXPORTED_TABLES, exportDashboard } from "@/lib/statistics/export-dashboard";
import { exportReply } from "../../export-reply";
import { toOwnSearch } from "../own-search";
import { loadDashboardSearch } from "../search-params";

export const dynamic = "force-dynamic";

/**
 * Exports what the dashboard shows in the window of the URL: ?table=usage, breakdown, margin, losses or health, and
 * ?format=csv (names in the reader's language, amounts in money) or jsonl.
 */
export const GET = limited("global", "action", (request) => {
  return exportReply(request, "dashboard", async (ctx, params, format, words) => {
    const table = EXPORTED_TABLES.find((known) => known === (params.get("table") ?? "margin"));
    if (!table) throw new AppError("invalid", "fieldInvalid", { field: "table" });
    const given = Promise.resolve(Object.fromEntries(params));
    const { DataExportDefaultTime } = await loadOptions(ctx.db);
    const loaded = await loadDashboardSearch(given, nowSeconds(), DataExportDefaultTime);
    const search = toOwnSearch(loaded, ctx.actor.role >= ROLE.admin);
    return exportDashboard(ctx, { table, format, search, margin: loaded.margin, words });
  });
});
