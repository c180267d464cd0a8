import { addFailure, type Failures, type LoadResult } from "./load-result";
import { lowerQuartile, median, upperQuartile } from "./statistics";

/** What one round measured of one alternative. A figure that was not measured is not a number. */
export type Row = LoadResult & {
  name: string;
  round: number;
  perSecond: number;
  cpuUs: number;
  databaseUs: number;
  /** In V8's heap, for each answer or chunk. */
  allocatedBytes: number;
  /** Of the process and its children, each shared page divided among the processes that have it (PSS). */
  memoryMib: number;
};

type Field = Exclude<keyof Row, "name" | "reasons">;

const columns = (unit: string) => [
  "alternative",
  `${unit}s a second`,
  "failed",
  `CPU µs per ${unit}`,
  "quartiles",
  "× floor",
  "quartiles",
  `bytes allocated per ${unit}`,
  "PostgreSQL µs per answer",
  "p50 ms",
  "beyond the floor's",
  "p99 ms",
  "beyond the floor's",
  "first byte p50",
  "p99",
  "beyond the floor's",
  "PSS MiB",
];

/**
 * A table of the medians over the rounds of each alternative, in the order in which they first appear, and a line for
 * each reason why calls failed. What compares with the floor does so within each round: the median is that of the ratios.
 */
export function answersTable(rows: readonly Row[], unit: "answer" | "chunk"): string {
  const floors = new Map(rows.filter(({ name }) => name === "floor").map((row) => [row.round, row]));
  const cells = (name: string): string[] => {
    const own = rows.filter((row) => row.name === name);
    const all = (field: Field) => own.map((row) => row[field]);
    const besideFloor = (compare: (row: Row, floor: Row) => number) =>
      own.map((row) => {
        const floor = floors.get(row.round);
        return floor ? compare(row, floor) : Number.NaN;
      });
    const beyond = (field: Field) => figure(median(besideFloor((row, floor) => row[field] - floor[field])), 2);
    const ratios = besideFloor((row, floor) => row.cpuUs / floor.cpuUs);
    const latency = (field: Field) => [figure(median(all(field)), 2), beyond(field)];
    return [
      name,
      figure(median(all("perSecond")), 0),
      figure(median(all("failures")), 0),
      figure(median(all("cpuUs")), 1),
      range(all("cpuUs"), 1),
      figure(median(ratios), 2),
      range(ratios, 2),
      figure(median(all("allocatedBytes")), 0),
      figure(median(all("databaseUs")), 1),
      ...latency("p50Ms"),
      ...latency("p99Ms"),
      figure(median(all("firstByteP50Ms")), 2),
      ...latency("firstByteP99Ms"),
      figure(median(all("memoryMib")), 0),
    ];
  };
  const line = (parts: readonly string[]) => `| ${parts.join(" | ")} |`;
  const names = [...new Set(rows.map((row) => row.name))];
  const head = columns(unit);
  const table = [line(head), `|${head.map(() => "---|").join("")}`, ...names.map((name) => line(cells(name)))];
  const notes = names.flatMap((name) => failureLines(rows, name));
  return [...table, ...(notes.length > 0 ? ["", ...notes] : [])].join("\n");
}

/** How far the rounds are apart: both quartiles. */
function range(values: readonly number[], digits: number): string {
  const [low, high] = [figure(lowerQuartile(values), digits), figure(upperQuartile(values), digits)];
  return low === "–" ? low : `${low}–${high}`;
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
