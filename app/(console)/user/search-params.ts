import { createLoader } from "nuqs/server";
import { drawerParams, pagingParams, peekIdParams, sortParams } from "@/components/data-table/list-params";
import { userFilterParams } from "@/components/user/user-search";
import { USER_SORTS } from "@/lib/user/schemas";
import { createListLoader } from "../list-loader";

/** Only the filters; for the export. */
export const loadUserFilters = createLoader(userFilterParams);

export const loadUserSearch = createListLoader({
  ...pagingParams,
  ...userFilterParams,
  ...sortParams(USER_SORTS, "id"),
  ...drawerParams,
  ...peekIdParams,
});
