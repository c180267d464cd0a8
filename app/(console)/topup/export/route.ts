import { limited } from "@/lib/http/rate-limit";
import { exportStatement } from "@/lib/topup/export-statement";
import { exportReply } from "../../export-reply";
import { timeZoneOf } from "../../time-zone";
import { loadLedgerFilters, toStatementSearch } from "../search-params";

export const dynamic = "force-dynamic";

/** Exports the user's own statement with the filters in the URL: ?format=csv or jsonl. */
export const GET = limited("global", "action", (request) => {
  return exportReply(request, "statement", (ctx, params, format, words) =>
    exportStatement(ctx, toStatementSearch(loadLedgerFilters(params), timeZoneOf(request)), format, words),
  );
});
