import type { BulkField, BulkValue } from "./bulk-plan";

export type BulkPreview = {
  /** Number of selected rows. */
  matched: number;
  /** Stands for the selected rows and their values; send it back as `expected`. */
  fingerprint: string;
  /** Rows that would change; the others already have the value or are refused. */
  changed: number;
  same: number;
  refused: { id: number; name: string; reason: string }[];
  /** The changed property; null = the rows are deleted. */
  field: BulkField | null;
  /** The first of the changed rows. */
  rows: { id: number; name: string; before: BulkValue; after: BulkValue }[];
};

/** `id` is the id for undo; null = nothing changed. */
export type BulkApplied = { id: number | null; changed: number };

/** The number of restored rows, and those skipped because they were changed since or are gone. */
export type BulkUndone = {
  undone: number;
  kept: { id: number; name: string; reason: "changed" | "gone" | "present" }[];
};

export type BulkRecord = {
  id: number;
  actorName: string;
  kind: string;
  changed: number;
  createdAt: number;
  /** Unix seconds; null = not undone. */
  undoneAt: number | null;
  canUndo: boolean;
};
