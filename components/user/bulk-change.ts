import type { BulkOutcome } from "@/components/data-table/bulk-outcome";
import type { ActionResult } from "@/lib/http/action";

export type BulkChange = { kind: "enable" } | { kind: "disable" } | { kind: "group"; group: string };
export type ApplyBulk = (input: { ids: number[]; change: BulkChange }) => Promise<ActionResult<BulkOutcome>>;
