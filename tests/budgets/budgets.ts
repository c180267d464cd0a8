// What an answer and a chunk may cost the gateway: a budget is what was measured and a little more. Counts do not depend
// on how busy a machine is, as times do.
//
// To raise one: put the new count into MEASURED, and say in the commit what it buys. The test prints the table of its own
// run in the form in which it stands here. `WEIR_BUDGET_PLACES=1 npx vitest run tests/budgets` says where promises and
// timers are made. Whoever makes something cheaper puts the lower count in, so that it stays so.

/** Of one answer, of one chunk, or of one flush. `bytes` are those of V8's heap, before V8 optimises the code. */
export type Costs = {
  /** An `await` counts as one beside the promise that it waits for. */
  promises: number;
  timers: number;
  bytes: number;
  toCaller: number;
  toUpstream: number;
  toFiles: number;
  /** With the flush, which books all that were counted at once. */
  statements: number;
};
export const COLUMNS = ["promises", "timers", "bytes", "toCaller", "toUpstream", "toFiles", "statements"] as const;

/** How much more than was measured is within the budget: less than one promise, timer or write. */
const SLACK: Costs = {
  promises: 0.5,
  timers: 0.5,
  bytes: 1_536,
  toCaller: 0.2,
  toUpstream: 0.2,
  toFiles: 0.2,
  // What runs by the clock sends some, which the answers that were counted share.
  statements: 0.6,
};
/** The collector, caches and what runs beside make up to half of that a difference from run to run. */
const BYTES_SHARE = 0.03;
/** A stream has hundreds of them. */
const CHUNK_SLACK: Costs = {
  promises: 0.1,
  timers: 0.1,
  bytes: 150,
  toCaller: 0.1,
  toUpstream: 0.1,
  toFiles: 0.1,
  statements: 0.05,
};
/** Captures are stored, and spans sent, beside the answers, as many at a time as come together. */
const EVERYTHING_SLACK: Costs = { ...SLACK, bytes: 20_000, promises: 6, timers: 1.5 };
/** The same, divided among the chunks of a stream: still less than one for each chunk. */
const EVERYTHING_CHUNK_SLACK: Costs = { ...CHUNK_SLACK, bytes: 500, promises: 0.6, timers: 0.3 };
/** What else runs by the clock may be due at the same time: far less than one thing for each answer. */
const FLUSH_SLACK: Costs = { ...SLACK, bytes: 100_000, promises: 60, timers: 10, toFiles: 2, statements: 5 };

export type Table = { [row: string]: Costs };

const costs = (...[promises, timers, bytes, toCaller, toUpstream, toFiles, statements]: Line): Costs => ({
  promises,
  timers,
  bytes,
  toCaller,
  toUpstream,
  toFiles,
  statements,
});
type Line = [number, number, number, number, number, number, number];

/* biome-ignore format: a table */
export const MEASURED = {
  //                                promises timers   bytes toCaller toUpstream toFiles statements
  "whole":                    costs( 25.02,   5.02,   72900,      1,      1,   1.08,   0.10),
  "translated":               costs( 25.02,   5.03,  109500,      1,      1,   1.08,   0.10),
  "key refused":              costs(  3.02,   2.02,   43000,      1,      0,      0,   0.05),
  "upstream refuses":         costs( 28.97,   5.03,  120500,      1,      1,   1.98,   0.10),
  "stream":                   costs( 27.05,   6.05,   92300,      2,      1,   1.10,   0.10),
  "stream, chunk":            costs(     0,      0,    3840,      1,      0,      0,      0),
  "translated stream":        costs( 27.05,   6.05,  115800,      2,      1,   1.10,   0.10),
  "translated stream, chunk": costs(     0,      0,    6980,      1,      0,      0,      0),
  "limit refuses":            costs(  9.02,   1.02,   52500,      1,      0,      1,   0.05),
  "flush of 240":             costs(    97,     15,  715000,      0,      0,      1,      6),
  "everything":               costs(165.00,  23.37,  301000,      1,      1,   0.08,   7.15),
  "everything, stream":       costs(158.00,  23.00,  301000,      2,      1,   0.10,   7.15),
  "everything, stream, chunk":costs(     0,      0,   10150,      1,      0,      0,      0),
} satisfies Table;

function slackOf(row: string): Costs {
  if (row.startsWith("flush")) return FLUSH_SLACK;
  return row.startsWith("everything") ? EVERYTHING_SLACK : SLACK;
}

function budgetOf(row: string, column: keyof Costs, measured: number): number {
  if (row.endsWith("chunk"))
    return measured + (row.startsWith("everything") ? EVERYTHING_CHUNK_SLACK : CHUNK_SLACK)[column];
  const slack = slackOf(row)[column];
  // The plain answer varies least, and 2 KB more of it are seen.
  return measured + (column === "bytes" && row !== "whole" ? Math.max(slack, measured * BYTES_SHARE) : slack);
}

/** What is above its budget, in words; `table` is what was measured when the budgets were set. */
export function judge(now: Table, table: Table): string[] {
  return Object.entries(now).flatMap(([row, found]) => {
    const known = table[row];
    if (!known) return [`${row} has no budget`];
    // What was not counted is above every budget.
    const broken = COLUMNS.filter((column) => !(found[column] <= budgetOf(row, column, known[column])));
    return broken.map((column) => {
      const budget = budgetOf(row, column, known[column]);
      return `${row}: ${round(found[column])} ${column}, budget ${round(budget)}`;
    });
  });
}

/** The lines of MEASURED. */
export function print(table: Table): string {
  const width = Math.max(...Object.keys(table).map((row) => row.length)) + 3;
  return Object.entries(table)
    .map(([row, found]) => {
      const figures = COLUMNS.map((column) => String(round(found[column])).padStart(column === "bytes" ? 7 : 6));
      return `  ${`"${row}":`.padEnd(width)} costs(${figures.join(", ")}),`;
    })
    .join("\n");
}

function round(value: number): number {
  return value >= 1_000 ? Math.round(value) : Math.round(value * 100) / 100;
}
