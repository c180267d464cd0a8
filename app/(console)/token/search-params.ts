import { drawerParams, pagingParams, sortParams } from "@/components/data-table/list-params";
import { peekIdParams } from "@/components/data-table/peek-params";
import { tokenFilterParams } from "@/components/token/token-search";
import { TOKEN_SORTS } from "@/lib/token/schemas";
import { createListLoader } from "../list-loader";

export const loadTokenSearch = createListLoader({
  ...pagingParams,
  ...tokenFilterParams,
  ...sortParams(TOKEN_SORTS, "id"),
  ...drawerParams,
  ...peekIdParams,
});
