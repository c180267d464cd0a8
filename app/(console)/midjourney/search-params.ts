import { pagingParams } from "@/components/data-table/list-params";
import { drawingViewParams } from "@/components/drawing/drawing-search";
import { jobFilterParams } from "@/components/task/task-search";
import { createListLoader } from "../list-loader";

export const loadDrawingSearch = createListLoader({ ...pagingParams, ...jobFilterParams, ...drawingViewParams });
