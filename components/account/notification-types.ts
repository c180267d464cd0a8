import type * as actions from "./notification-actions";

export type TargetActions = Pick<
  typeof actions,
  "saveTarget" | "setTargetEnabled" | "deleteTarget" | "testTarget" | "startBinding" | "checkBinding"
>;
