import type * as actions from "./actions";

export type AlertActions = typeof actions;
