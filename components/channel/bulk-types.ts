import type { BulkChange, BulkInput, BulkTarget } from "@/lib/channel/bulk-schemas";
import type { BulkApplied, BulkPreview, BulkUndone } from "@/lib/channel/bulk-types";
import type { ActionResult } from "@/lib/http/action";

/** The server actions for changing many channels. */
export type BulkActions = {
  previewBulk: (input: BulkInput) => Promise<ActionResult<BulkPreview>>;
  applyBulk: (input: BulkInput & { expected: string }) => Promise<ActionResult<BulkApplied>>;
  startTestRun: (input: { target: BulkTarget }) => Promise<ActionResult<void>>;
  undoBulk: (input: { id: number }) => Promise<ActionResult<BulkUndone>>;
};

export type BulkKind = BulkChange["kind"];
