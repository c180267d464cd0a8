import type { Findings, Remark } from "./findings";
import type { LookAt } from "./look-at";
import type { ImportReport } from "./run-import";

/** The report as text for a terminal or a file. */
export function describeReport(report: ImportReport): string {
  const head = report.dryRun ? "Dry run: nothing was written." : "Done.";
  const parts = [`${head} From ${report.system} into ${targetOf(report)}.`];
  for (const [kind, findings] of Object.entries(report.kinds)) parts.push(describeKind(kind, findings, report.dryRun));
  const { tables, missing, columns } = report.extras;
  if (missing.length > 0) parts.push(`Tables that are not there: ${missing.join(", ")}`);
  const lost = Object.entries(tables).map(([table, rows]) => `  ${table}: ${rows} rows`);
  if (lost.length > 0) parts.push(["Tables that do not carry over:", ...lost].join("\n"));
  const unknown = Object.entries(columns).map(([table, names]) => `  ${table}: ${names.join(", ")}`);
  if (unknown.length > 0) parts.push(["Columns that this version of Weir does not know:", ...unknown].join("\n"));
  if (report.lookAt !== null) parts.push(describeLookAt(report.lookAt));
  return `${parts.join("\n\n")}\n`;
}

/** Whether something is to be done that the other system did not ask for. */
export function needsLook({ lookAt }: Pick<ImportReport, "lookAt">): boolean {
  return lookAt?.some(({ isKnown }) => !isKnown) ?? false;
}

/** The page that says what to look at, each with what mends it. */
function describeLookAt(lookAt: readonly LookAt[]): string {
  const open = lookAt.filter(({ isKnown }) => !isKnown);
  const known = lookAt.filter(({ isKnown }) => isKnown);
  const parts = [open.length === 0 ? "What to look at: nothing." : "What to look at:", ...open.map(describeItem)];
  if (known.length > 0) parts.push("", "As it was, or needs nothing:", ...known.map(describeItem));
  return parts.join("\n");
}

function describeItem({ what, count, examples, mend }: LookAt): string {
  return `  ${wordsOf(what, { count, examples })}\n    -> ${mend}`;
}

/** LiteLLM is read whole each time; of others the position is kept, and what was found on the way to it. */
function targetOf({ system, intoFresh, isFirst }: ImportReport): string {
  if (isFirst) return intoFresh ? "a fresh Weir" : "a Weir that is in use";
  const again = "the Weir that it was imported into before";
  return system === "litellm" ? again : `${again}; the figures are of all runs`;
}

function describeKind(kind: string, findings: Findings, dryRun: boolean): string {
  const left = Object.values(findings.leftOut).reduce((sum, { count }) => sum + count, 0);
  const lines = [
    `${kind}: ${findings.read} read, ${findings.moved} ${dryRun ? "would move" : "moved"}, ${left} left out`,
  ];
  for (const [reason, remark] of sorted(findings.leftOut)) lines.push(`  left out  ${wordsOf(reason, remark)}`);
  for (const [what, remark] of sorted(findings.changed)) lines.push(`  changed   ${wordsOf(what, remark)}`);
  return lines.join("\n");
}

function sorted(remarks: Record<string, Remark>): [string, Remark][] {
  return Object.entries(remarks).sort(([, one], [, other]) => other.count - one.count);
}

/** Control characters of a source must not reach a terminal. */
function wordsOf(what: string, { count, examples }: Remark): string {
  const names = examples.join(", ").replaceAll(/[\p{Cc}\p{Cf}]/gu, "?");
  return `${count} × ${what}: ${names}${count > examples.length ? ", …" : ""}`;
}
