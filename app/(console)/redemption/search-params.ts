import { drawerParams, pagingParams, sortParams } from "@/components/data-table/list-params";
import { peekIdParams } from "@/components/data-table/peek-params";
import { redemptionFilterParams } from "@/components/redemption/redemption-search";
import { REDEMPTION_SORTS } from "@/lib/redemption/schemas";
import { createListLoader } from "../list-loader";

export const loadRedemptionSearch = createListLoader({
  ...pagingParams,
  ...redemptionFilterParams,
  ...sortParams(REDEMPTION_SORTS, "id"),
  ...drawerParams,
  ...peekIdParams,
});
