import { pagingParams } from "@/components/data-table/list-params";
import { jobFilterParams } from "@/components/task/task-search";
import { createListLoader } from "../list-loader";

export const loadTaskSearch = createListLoader({ ...pagingParams, ...jobFilterParams });
