import type { ArchiveRow } from "./columns";
import { ArchiveError } from "./storage";

/** What tells one set of rows from another: their number, and the sum of their ids as decimal text. */
export type RowSum = { rows: number; idSum: string };

/** Counts rows as they pass. Throws ArchiveError for a row outside of [from, until) or not in the order of time and id. */
export class RowTally {
  private rows = 0;
  private idSum = 0n;
  private last = { at: -1, id: -1 };
  private readonly range: { from: number; until: number };

  constructor(range: { from: number; until: number }) {
    this.range = range;
  }

  count(rows: readonly ArchiveRow[]): void {
    for (const row of rows) {
      const { created_at: at, id } = row;
      if (typeof at !== "number" || typeof id !== "number") throw new ArchiveError("A row has no time or no id.");
      if (at < this.range.from || at >= this.range.until) throw new ArchiveError(`The row ${id} is of another time.`);
      const { last } = this;
      if (at < last.at || (at === last.at && id <= last.id)) throw new ArchiveError(`The row ${id} is out of order.`);
      this.last = { at, id };
      this.rows += 1;
      this.idSum += BigInt(id);
    }
  }

  sum(): RowSum {
    return { rows: this.rows, idSum: String(this.idSum) };
  }
}

export function isSameSum(a: RowSum, b: RowSum): boolean {
  return a.rows === b.rows && a.idSum === b.idSum;
}
