import type { LoadResult } from "./load";

/** What one round measured of one alternative. */
export type Row = LoadResult & {
  name: string;
  cpuUs: number;
  databaseUs: number;
  rssMib: number;
};

type Field = Exclude<keyof Row, "name">;

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function quartile(values: number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) / 4)] ?? Number.NaN;
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

/** A table of the medians over the rounds of each alternative, in the order in which they first appear. */
export function answersTable(rows: Row[], unit: "answer" | "chunk"): string {
  const all = (name: string, field: Field) => rows.filter((row) => row.name === name).map((row) => row[field]);
  const of = (name: string, field: Field) => median(all(name, field));
  const cells = (name: string): (string | number)[] => {
    const [cpu, quietCpu] = [of(name, "cpuUs"), quartile(all(name, "cpuUs"))];
    const latency = (field: "p50Ms" | "p99Ms") => [
      of(name, field).toFixed(2),
      (of(name, field) - of("floor", field)).toFixed(2),
    ];
    return [
      name,
      of(name, unit === "chunk" ? "chunks" : "answers"),
      of(name, "failures"),
      cpu.toFixed(1),
      (cpu / of("floor", "cpuUs")).toFixed(2),
      quietCpu.toFixed(1),
      (quietCpu / quartile(all("floor", "cpuUs"))).toFixed(2),
      name.startsWith("weir") ? of(name, "databaseUs").toFixed(1) : "–",
      ...latency("p50Ms"),
      ...latency("p99Ms"),
      of(name, "firstByteP50Ms").toFixed(2),
      of(name, "firstByteP99Ms").toFixed(2),
      of(name, "rssMib").toFixed(0),
    ];
  };
  const line = (parts: (string | number)[]) => `| ${parts.map((part) => `${part}`.replace("NaN", "–")).join(" | ")} |`;
  const names = [...new Set(rows.map((row) => row.name))];
  const head = columns(unit);
  return [line(head), `|${head.map(() => "---|").join("")}`, ...names.map((name) => line(cells(name)))].join("\n");
}
