import { pagingParams } from "@/components/data-table/list-params";
import { logFilterParams } from "@/components/log/log-search";
import { createListLoader } from "../list-loader";

/** The URL contract of the usage log. */
export const loadLogSearch = createListLoader({ ...pagingParams, ...logFilterParams });
