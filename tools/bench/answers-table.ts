import { addFailure, type Failures, type LoadResult } from "./load-result";

/** What one round measured of one alternative. A figure that was not measured is not a number. */
export type Row = LoadResult & {
  name: string;
  cpuUs: number;
  databaseUs: number;
  rssMib: number;
};

type Field = Exclude<keyof Row, "name" | "reasons">;

const sorted = (values: number[]) => values.filter(Number.isFinite).sort((a, b) => a - b);

export function median(values: number[]): number {
  const known = sorted(values);
  return known[Math.floor(known.length / 2)] ?? Number.NaN;
}

function quartile(values: number[]): number {
  const known = sorted(values);
  return known[Math.floor((known.length - 1) / 4)] ?? Number.NaN;
}

const columns = (unit: string) => [
  "alternative",
  `${unit}s/round`,
  "failed",
  `CPU µs per ${unit}`,
  "× floor",
  "lower quartile",
  "× floor",
  "PostgreSQL µs per answer",
  "p50 ms",
  "beyond the floor's",
  "p99 ms",
  "beyond the floor's",
  "first byte p50",
  "p99",
  "RSS MiB",
];

/**
 * A table of the medians over the rounds of each alternative, in the order in which they first appear, and a line for
 * each reason why calls failed.
 */
export function answersTable(rows: readonly Row[], unit: "answer" | "chunk"): string {
  const all = (name: string, field: Field) => rows.filter((row) => row.name === name).map((row) => row[field]);
  const of = (name: string, field: Field) => median(all(name, field));
  const cells = (name: string): string[] => {
    const [cpu, quietCpu] = [of(name, "cpuUs"), quartile(all(name, "cpuUs"))];
    const latency = (field: "p50Ms" | "p99Ms") => [
      figure(of(name, field), 2),
      figure(of(name, field) - of("floor", field), 2),
    ];
    return [
      name,
      figure(of(name, unit === "chunk" ? "chunks" : "answers"), 0),
      figure(of(name, "failures"), 0),
      figure(cpu, 1),
      figure(cpu / of("floor", "cpuUs"), 2),
      figure(quietCpu, 1),
      figure(quietCpu / quartile(all("floor", "cpuUs")), 2),
      name.startsWith("weir") ? figure(of(name, "databaseUs"), 1) : "–",
      ...latency("p50Ms"),
      ...latency("p99Ms"),
      figure(of(name, "firstByteP50Ms"), 2),
      figure(of(name, "firstByteP99Ms"), 2),
      figure(of(name, "rssMib"), 0),
    ];
  };
  const line = (parts: readonly string[]) => `| ${parts.join(" | ")} |`;
  const names = [...new Set(rows.map((row) => row.name))];
  const head = columns(unit);
  const table = [line(head), `|${head.map(() => "---|").join("")}`, ...names.map((name) => line(cells(name)))];
  const notes = names.flatMap((name) => failureLines(rows, name));
  return [...table, ...(notes.length > 0 ? ["", ...notes] : [])].join("\n");
}

function figure(value: number, digits: number): string {
  return Number.isFinite(value) ? value.toFixed(digits) : "–";
}

function failureLines(rows: readonly Row[], name: string): string[] {
  const own = rows.filter((row) => row.name === name);
  const reasons: Failures = new Map();
  for (const row of own)
    for (const [reason, { count, example }] of row.reasons) addFailure(reasons, reason, count, example);
  const calls = own.reduce((sum, { answers, failures }) => sum + answers + failures, 0);
  return [...reasons].map(([reason, { count, example }]) => {
    const shown = example.replaceAll(/\s+/g, " ").trim().slice(0, 160);
    return `${name}: ${count} of ${calls} calls failed: ${reason}${shown && `, such as ${shown}`}`;
  });
}
