import { exportChannels } from "@/lib/channel/export-commands";
import { limited } from "@/lib/http/rate-limit";
import { exportReply } from "../../export-reply";
import { loadChannelFilters, toChannelFilter } from "../search-params";

export const dynamic = "force-dynamic";

/** Exports channels without their keys: those of ?ids=1,2, otherwise those that match the filters in the URL. */
export const GET = limited("global", "action", (request) => {
  return exportReply(request, "channels", (ctx, params, format, words) => {
    const ids = params.get("ids");
    const filters = loadChannelFilters(params);
    const target = ids === null ? { filter: toChannelFilter(filters) } : { ids: ids.split(",").map(Number) };
    return exportChannels(ctx, target, format, words);
  });
});
