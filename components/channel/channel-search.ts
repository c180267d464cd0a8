import { parseAsInteger, parseAsString } from "nuqs/server";
import { drawerParams } from "@/components/data-table/list-params";

const text = parseAsString.withDefault("");

/** The filters of the channel list in the address. */
export const channelFilterParams = {
  keyword: text,
  model: text,
  group: text,
  status: parseAsInteger,
  type: parseAsInteger,
};

/** The drawer, or the test panel of the channel with this id. */
export const channelPanelParams = { ...drawerParams, test: parseAsInteger };
