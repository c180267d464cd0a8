import type { Family, Sample } from "./family";

/** Counts of values by size. `observe` allocates nothing; everything else happens when somebody reads. */
export class Histogram {
  private readonly bounds: readonly number[];
  private readonly counts: Float64Array;
  private sum = 0;

  /** `bounds`: upper bounds, ascending. */
  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    const { bounds, counts } = this;
    let at = 0;
    while (at < bounds.length && value > (bounds[at] as number)) at += 1;
    counts[at] = (counts[at] as number) + 1;
    this.sum += value;
  }

  samples(name: string, labels: Sample["labels"] = {}): Sample[] {
    const samples: Sample[] = [];
    let count = 0;
    this.counts.forEach((number, at) => {
      count += number;
      const le = this.bounds[at] ?? "+Inf";
      samples.push({ labels: { ...labels, le }, value: count, metricName: `${name}_bucket` });
    });
    samples.push({ labels, value: this.sum, metricName: `${name}_sum` });
    samples.push({ labels, value: count, metricName: `${name}_count` });
    return samples;
  }

  get count(): number {
    return this.counts.reduce((sum, number) => sum + number, 0);
  }
}

/** Its values are those of `Histogram.samples` with the same name. */
export function histogram(name: string, help: string, values: Sample[]): Family {
  return { name, help, type: "histogram", aggregator: "sum", values };
}
