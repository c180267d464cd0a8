import { limited } from "@/lib/http/rate-limit";
import { exportUsers } from "@/lib/user/export-commands";
import { exportReply } from "../../export-reply";
import { loadUserFilters } from "../search-params";

export const dynamic = "force-dynamic";

/** Exports the accounts that match the filters in the URL. */
export const GET = limited("global", "action", (request) => {
  return exportReply(request, "users", (ctx, params, format, words) => {
    const { role, status, ...texts } = loadUserFilters(params);
    const search = { ...texts, ...(role === null ? {} : { role }), ...(status === null ? {} : { status }) };
    return exportUsers(ctx, search, format, words);
  });
});
