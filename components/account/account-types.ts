import type * as actions from "./personal-actions";

export type AccountActions = Pick<typeof actions, "createAccessToken" | "updateSelf" | "deleteSelf">;

export type BindEmail = typeof actions.bindEmail;
