import type { SourceRow } from "./types";

const EXAMPLES_MAX = 3;

/** Rows with the same remark, and the first of them. */
export type Remark = { count: number; examples: string[] };

/** What the report says of one kind of row. */
export type Findings = {
  read: number;
  moved: number;
  /** Why rows were left out, by reason. */
  leftOut: Record<string, Remark>;
  /** What is different of rows that moved. */
  changed: Record<string, Remark>;
};

export function noFindings(): Findings {
  return { read: 0, moved: 0, leftOut: {}, changed: {} };
}

/** `example` names the row; never a secret. */
export function leaveOut(findings: Findings, reason: string, example: string): void {
  remark(findings.leftOut, reason, { count: 1, examples: [example] });
}

/** What becomes of the rows; one that `convert` gives a reason for instead is left out. `nameOf`: the example for it. */
export function convertRows<Draft extends object>(
  rows: readonly SourceRow[],
  findings: Findings,
  convert: (row: SourceRow) => Draft | string,
  nameOf: (row: SourceRow) => string = (row) => `#${String(row.id)}`,
): Draft[] {
  return rows.flatMap((row) => {
    const draft = convert(row);
    if (typeof draft !== "string") return [draft];
    leaveOut(findings, draft, nameOf(row));
    return [];
  });
}

export function noteChange(findings: Findings, what: string, example: string): void {
  remark(findings.changed, what, { count: 1, examples: [example] });
}

export function addFindings(total: Findings, part: Findings): void {
  total.read += part.read;
  total.moved += part.moved;
  for (const name of ["leftOut", "changed"] as const) {
    for (const [reason, added] of Object.entries(part[name])) remark(total[name], reason, added);
  }
}

function remark(remarks: Record<string, Remark>, reason: string, { count, examples }: Remark): void {
  const known = remarks[reason] ?? { count: 0, examples: [] };
  remarks[reason] = { count: known.count + count, examples: [...known.examples, ...examples].slice(0, EXAMPLES_MAX) };
}
