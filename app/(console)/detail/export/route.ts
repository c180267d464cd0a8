import { nowSeconds } from "@/lib/clock";
import { exportMargin } from "@/lib/statistics/export-margin";
import { exportReply } from "../../export-reply";
import { loadDashboardSearch } from "../search-params";

export const dynamic = "force-dynamic";

/** Exports sold, bought and margin of the window in the URL, by the dimension in `margin`: ?format=csv or jsonl. */
export function GET(request: Request): Promise<Response> {
  return exportReply(request, "margin", async (ctx, params, format, words) => {
    const given = Promise.resolve(Object.fromEntries(params));
    const { from, until, granularity, timeZone, margin } = await loadDashboardSearch(given, nowSeconds(), "day");
    return exportMargin(ctx, { from, until, granularity, timeZone, dimension: margin }, format, words);
  });
}
