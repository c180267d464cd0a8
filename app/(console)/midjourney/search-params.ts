import { pagingParams } from "@/components/data-table/list-params";
import { drawingFilterParams, drawingViewParams } from "@/components/drawing/drawing-search";
import { createListLoader } from "../list-loader";

/** The URL contract of the drawing tasks. */
export const loadDrawingSearch = createListLoader({ ...pagingParams, ...drawingFilterParams, ...drawingViewParams });
