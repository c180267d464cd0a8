import type { BulkChange } from "@/lib/channel/bulk-schemas";
import type { startTestRun } from "./actions";
import type { applyBulk, previewBulk, undoBulk } from "./bulk-actions";

/** The server actions for changing many channels. */
export type BulkActions = {
  previewBulk: typeof previewBulk;
  applyBulk: typeof applyBulk;
  startTestRun: typeof startTestRun;
  undoBulk: typeof undoBulk;
};

export type BulkKind = BulkChange["kind"];
