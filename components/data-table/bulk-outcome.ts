/** What can be done with every selected row of a simple list. */
export const ROW_CHANGES = ["enable", "disable", "delete"] as const;
export type RowChange = (typeof ROW_CHANGES)[number];

export type BulkOutcome = { done: number; failed: { id: number; message: string }[] };
