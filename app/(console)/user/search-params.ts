import { createLoader } from "nuqs/server";
import { drawerParams, pagingParams, sortParams } from "@/components/data-table/list-params";
import { userFilterParams } from "@/components/user/user-search";
import { USER_SORTS } from "@/lib/user/schemas";
import { createListLoader } from "../list-loader";

/** The filters alone, for the export. */
export const loadUserFilters = createLoader(userFilterParams);

/** The URL contract of the list of users. */
export const loadUserSearch = createListLoader({
  ...pagingParams,
  ...userFilterParams,
  ...sortParams(USER_SORTS, "id"),
  ...drawerParams,
});
