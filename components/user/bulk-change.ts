import type { applyToUsers, findUsers } from "./actions";

export type BulkChange = { kind: "enable" } | { kind: "disable" } | { kind: "group"; group: string };
export type FindUsers = typeof findUsers;
export type ApplyBulk = typeof applyToUsers;
