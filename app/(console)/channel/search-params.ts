import { channelFilterParams, channelPanelParams } from "@/components/channel/channel-search";
import { pagingParams, sortParams } from "@/components/data-table/list-params";
import { CHANNEL_SORTS } from "@/lib/channel/schemas";
import { createListLoader } from "../list-loader";

/** The URL contract of the channel list. */
export const loadChannelSearch = createListLoader({
  ...pagingParams,
  ...channelFilterParams,
  ...sortParams(CHANNEL_SORTS, "priority"),
  ...channelPanelParams,
});
