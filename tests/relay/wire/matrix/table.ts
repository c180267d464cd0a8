/** A cell of the matrix: "yes", or why not. */
export type Cells = ReadonlyMap<string, ReadonlyMap<string, ReadonlyMap<string, string>>>;

/** The matrix as markdown: a table for each upstream format, with the reasons under it. */
export function renderMatrix(cells: Cells, callers: readonly string[], scenarios: readonly string[]): string {
  return [...cells].map(([format, byScenario]) => renderFormat(format, byScenario, callers, scenarios)).join("\n");
}

type ByScenario = ReadonlyMap<string, ReadonlyMap<string, string>>;

function renderFormat(
  format: string,
  cells: ByScenario,
  callers: readonly string[],
  scenarios: readonly string[],
): string {
  const reasons: string[] = [];
  const rows = scenarios.map((scenario) => {
    const row = callers.map((caller) => short(cells.get(scenario)?.get(caller) ?? "unknown", reasons));
    return `| ${scenario} | ${row.join(" | ")} |`;
  });
  const notes = reasons.map((reason, at) => `${at + 1}. ${reason}`);
  return [
    `## ${format}`,
    "",
    `| | ${callers.join(" | ")} |`,
    `| --- |${" --- |".repeat(callers.length)}`,
    ...rows,
    "",
    ...(notes.length > 0 ? [...notes, ""] : []),
  ].join("\n");
}

function short(cell: string, reasons: string[]): string {
  if (cell === "yes") return cell;
  const [word = "", ...rest] = cell.split(": ");
  const reason = rest.join(": ");
  if (!reasons.includes(reason)) reasons.push(reason);
  return `${word} (${reasons.indexOf(reason) + 1})`;
}
