import type { BulkField, BulkValue } from "./bulk-plan";

/** What a change would do, before it is done. */
export type BulkPreview = {
  /** Rows that are meant; give it back as `expected`. */
  matched: number;
  /** Of them changed by it; the others have the value already, or are refused. */
  changed: number;
  same: number;
  refused: { id: number; name: string; reason: string }[];
  /** Which property changes; null = the rows go. */
  field: BulkField | null;
  /** The first of the rows that change. */
  rows: { id: number; name: string; before: BulkValue; after: BulkValue }[];
};

/** What was done; `id` is what it can be taken back by. Null = nothing changed. */
export type BulkApplied = { id: number | null; changed: number };

/** What was taken back, and which rows were not: somebody has changed them since, or they are gone. */
export type BulkUndone = {
  undone: number;
  kept: { id: number; name: string; reason: "changed" | "gone" | "present" }[];
};

/** A change of many that was made. */
export type BulkRecord = {
  id: number;
  actorName: string;
  kind: string;
  changed: number;
  createdAt: number;
  /** Unix seconds; null = still in force. */
  undoneAt: number | null;
  canUndo: boolean;
};
