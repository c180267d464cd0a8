import type { ActionResult } from "@/lib/http/action";

/** One change for several accounts. */
export type BulkChange = { kind: "enable" } | { kind: "disable" } | { kind: "group"; group: string };
/** How many took it, and why the others did not. */
export type BulkOutcome = { done: number; failed: { id: number; message: string }[] };
export type ApplyBulk = (input: { ids: number[]; change: BulkChange }) => Promise<ActionResult<BulkOutcome>>;
