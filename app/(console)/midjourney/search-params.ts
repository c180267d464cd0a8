import { pagingParams } from "@/components/data-table/list-params";
import { drawingViewParams } from "@/components/drawing/drawing-search";
import { jobFilterParams } from "@/components/task/task-search";
import { createListLoader } from "../list-loader";

/** The URL contract of the drawing tasks. */
export const loadDrawingSearch = createListLoader({ ...pagingParams, ...jobFilterParams, ...drawingViewParams });
