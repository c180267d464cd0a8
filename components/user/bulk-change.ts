import type { BulkOutcome } from "@/components/data-table/bulk-outcome";
import type { ActionResult } from "@/lib/http/action";
import type { UserSearch } from "@/lib/user/schemas";
import type { ChangeableUser } from "@/lib/user/types";

export type BulkChange = { kind: "enable" } | { kind: "disable" } | { kind: "group"; group: string };
export type FindUsers = (search: UserSearch) => Promise<ActionResult<ChangeableUser[]>>;
export type ApplyBulk = (input: { ids: number[]; change: BulkChange }) => Promise<ActionResult<BulkOutcome>>;
