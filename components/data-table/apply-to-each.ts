import { getLocale } from "next-intl/server";
import { AppError } from "@/lib/errors";
import { errorMessage } from "@/lib/http/message";

/** What can be done with every selected row of a simple list. */
export const ROW_CHANGES = ["enable", "disable", "delete"] as const;
export type RowChange = (typeof ROW_CHANGES)[number];

export type BulkOutcome = { done: number; failed: { id: number; message: string }[] };

/** Runs a command for each id separately: a refusal for one does not stop the others. */
export async function applyToEach(ids: readonly number[], run: (id: number) => Promise<unknown>): Promise<BulkOutcome> {
  const locale = await getLocale();
  const failed: BulkOutcome["failed"] = [];
  const wanted = new Set(ids);
  for (const id of wanted) {
    try {
      await run(id);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      failed.push({ id, message: errorMessage(error, locale) });
    }
  }
  return { done: wanted.size - failed.length, failed };
}
