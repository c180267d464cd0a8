import { median } from "../statistics";
import type { Tally } from "./load";
import type { Sample } from "./samples";
import { type Facts, isLongEnough, judgedSamples, trendsOf } from "./verdict";

/** Prints the head of the curve; the function that comes back prints the line of a tenth. */
export function printCurve(minutes: number): (samples: readonly Sample[], tally: Tally) => void {
  let seen = 0;
  let requests = 0;
  let failed = 0;
  return (samples, tally) => {
    const part = samples.slice(seen);
    const names = [...(part.at(-1)?.processes.keys() ?? [])];
    if (seen === 0) {
      console.log(
        `\n## Soak, ${minutes} min\n\nPSS, heap in use in MiB · descriptors, sockets; medians of each tenth\n`,
      );
      console.log(`| minute | requests | failed | p50 ms | p99 ms | ${names.join(" | ")} |`);
      console.log(`|${"---|".repeat(5 + names.length)}`);
    }
    const { p50Ms, p99Ms } = tally.takeTimes();
    const counts = [tally.requests - requests, tally.failed - failed, p50Ms.toFixed(1), p99Ms.toFixed(1)];
    const minute = ((samples.at(-1)?.atSeconds ?? 0) / 60).toFixed(0);
    console.log(`| ${[minute, ...counts, ...names.map((name) => cell(part, name))].join(" | ")} |`);
    [seen, requests, failed] = [samples.length, tally.requests, tally.failed];
  };
}

function cell(samples: readonly Sample[], name: string): string {
  const of = (field: "pssMib" | "heapMib" | "descriptors" | "sockets", digits = 0) => {
    const value = median(samples.map(({ processes }) => processes.get(name)?.[field] ?? Number.NaN));
    return Number.isFinite(value) ? value.toFixed(digits) : "–";
  };
  return `${of("pssMib", 1)}, ${of("heapMib", 1)} · ${of("descriptors")}, ${of("sockets")}`;
}

export function printResult({ samples, before, after, books }: Facts, tally: Tally, problems: readonly string[]): void {
  const judged = judgedSamples(samples);
  console.log("\nGrowth an hour after the first tenth, with its standard error; descriptors before and after\n");
  console.log("| process | PSS, MiB | heap in use, MiB | descriptors | before | after |\n|---|---|---|---|---|---|");
  const trends = (["pssMib", "heapMib", "descriptors"] as const).map((field) => trendsOf(judged, field));
  for (const name of after.processes.keys()) {
    const cells = trends.map((found) => {
      const { perHour, error } = found.get(name) ?? { perHour: Number.NaN, error: Number.NaN };
      return Number.isFinite(perHour) ? `${perHour.toFixed(2)} ± ${error.toFixed(2)}` : "–";
    });
    const counts = [before, after].map((sample) => sample.processes.get(name)?.descriptors);
    console.log(`| ${[name, ...cells, ...counts].join(" | ")} |`);
  }
  console.log(
    `\n${[...tally.counts]
      .sort()
      .map(([name, count]) => `${name} ${count}`)
      .join(" · ")}`,
  );
  const { differences, unbooked, reserved, answered, charged } = books;
  console.log(`\n${differences.length} differences, ${unbooked} charges not booked, ${reserved} quota reserved;`);
  console.log(`${answered} whole answers, ${charged} charges for them`);
  if (!isLongEnough(samples)) console.log("Growth is judged from half an hour on.");
  for (const [name, { count, first }] of tally.failures)
    console.log(`NOT ASKED FOR ${count} × ${name}, first ${first}`);
  for (const problem of problems) console.log(`OFF ${problem}`);
}
