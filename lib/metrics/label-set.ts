import type { Sample } from "./family";

/** Counts by code and status. Beyond `max` codes the rest is counted as "other". */
export class LabelSet {
  private readonly counts = new Map<string, Map<number, number>>();
  private readonly max: number;

  constructor(max: number) {
    this.max = max;
  }

  count(code: string, status: number): void {
    let statuses = this.counts.get(code);
    if (!statuses) {
      const name = this.counts.size < this.max ? code : "other";
      statuses = this.counts.get(name) ?? new Map<number, number>();
      this.counts.set(name, statuses);
    }
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }

  samples(): Sample[] {
    return [...this.counts].flatMap(([code, statuses]) =>
      [...statuses].map(([status, value]) => ({ labels: { code, status }, value })),
    );
  }
}
