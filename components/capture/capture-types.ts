import type * as actions from "./actions";

export type CaptureActions = typeof actions;
