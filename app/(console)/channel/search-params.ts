import { createLoader, parseAsBoolean, parseAsInteger, parseAsString, parseAsStringLiteral } from "nuqs/server";
import { CHANNEL_SORTS } from "@/lib/channel/schemas";

/** The URL contract of the channel list. `edit` and `test` are ids of the channel in the drawer or test panel. */
const channelSearchParams = {
  page: parseAsInteger.withDefault(1),
  pageSize: parseAsInteger.withDefault(10),
  keyword: parseAsString.withDefault(""),
  model: parseAsString.withDefault(""),
  group: parseAsString.withDefault(""),
  status: parseAsInteger,
  type: parseAsInteger,
  sort: parseAsStringLiteral(CHANNEL_SORTS).withDefault("priority"),
  descending: parseAsBoolean.withDefault(true),
  edit: parseAsInteger,
  create: parseAsBoolean.withDefault(false),
  test: parseAsInteger,
};

export const loadChannelSearch = createLoader(channelSearchParams);
