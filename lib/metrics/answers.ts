import type { Sample } from "./family";

type Row = { dialect: string; operation: string; status: number; outcome: string; count: number };

/** Counts answers of one model and channel. There are few kinds, so they are looked for one by one. */
export class Answers {
  private readonly rows: Row[] = [];

  count(dialect: string, operation: string, status: number, outcome: string): void {
    for (const row of this.rows) {
      if (row.status === status && row.outcome === outcome && row.operation === operation && row.dialect === dialect) {
        row.count += 1;
        return;
      }
    }
    this.rows.push({ dialect, operation, status, outcome, count: 1 });
  }

  samples(labels: Sample["labels"]): Sample[] {
    return this.rows.map(({ dialect, operation, status, outcome, count }) => ({
      labels: { ...labels, dialect, operation, status, outcome },
      value: count,
    }));
  }
}
