/** One value of a metric. `metricName`: where it is not the family's, as in histograms. */
export type Sample = { labels: Record<string, string | number>; value: number; metricName?: string };

/** A metric with all its values, in the shape in which prom-client takes it. */
export type Family = {
  name: string;
  help: string;
  type: "counter" | "gauge" | "histogram";
  /** What the supervisor makes of the values that several processes have for the same labels. */
  aggregator: "sum" | "max" | "min";
  values: Sample[];
  /** The values of each process are kept apart, by a label with its name. */
  isPerProcess?: boolean;
  /** The values of each role are kept apart, by a label with its name. */
  isPerRole?: boolean;
};

export function counter(name: string, help: string, values: Sample[]): Family {
  return { name, help, type: "counter", aggregator: "sum", values };
}

/** `aggregator`: how the values of several processes become one. */
export function gauge(name: string, help: string, values: Sample[], aggregator: Family["aggregator"] = "sum"): Family {
  return { name, help, type: "gauge", aggregator, values };
}

export function one(value: number): Sample[] {
  return [{ labels: {}, value }];
}
