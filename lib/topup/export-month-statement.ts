import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { type ExportFile, streamRows } from "@/lib/export/stream-rows";
import { rowWriter } from "@/lib/export/write-rows";
import { decimalsFor, exactAmount } from "@/lib/money/display";
import { createRateWindow, type RateWindow } from "@/lib/rate-window";
import { amountsOf, type MonthStatement } from "./month-statement-types";
import { type StatementWording, toDate } from "./statement-wording";

const WINDOW_SECONDS = 60;
/** A PDF keeps the process busy for about a third of a second. A year's statements fit into a minute. */
export const PDFS_PER_MINUTE = 15;
/** All accounts together take at most a third of the process. */
export const PDFS_OF_ALL_PER_MINUTE = 60;

/** On globalThis, because each bundle of the console has its own copy of this module but the process has one counter. */
const shared = globalThis as typeof globalThis & { weirPdfRate?: RateWindow };

/** Counts a PDF that an account asks for. Throws rate_limited beyond what the account, or all together, may have. */
export function countPdf(userId: number, rate: RateWindow = sharedRate()): void {
  const wait =
    rate.add(`user:${userId}`, PDFS_PER_MINUTE, WINDOW_SECONDS) ||
    rate.add("all", PDFS_OF_ALL_PER_MINUTE, WINDOW_SECONDS);
  if (wait > 0) throw new AppError("rate_limited", "statementsTooMany", { seconds: wait });
}

function sharedRate(): RateWindow {
  shared.weirPdfRate ??= createRateWindow();
  return shared.weirPdfRate;
}

export const STATEMENT_FORMATS = ["pdf", "csv"] as const;
export type StatementFormat = (typeof STATEMENT_FORMATS)[number];

type Line = {
  date: string;
  type: string;
  description: string;
  requests: number | null;
  tokens: number | null;
  amount: number;
};

/**
 * A month's statement as a file in its reader's language. The lines of the CSV add up to its last one. Throws rate_limited
 * for more PDFs than an account may have.
 */
export async function exportMonthStatement(
  ctx: ServiceContext,
  statement: MonthStatement,
  wording: StatementWording,
  format: StatementFormat,
): Promise<ExportFile> {
  if (format === "pdf") {
    countPdf(requireRole(ctx, ROLE.user).id);
    const { renderStatementPdf } = await import("./statement-pdf");
    const bytes = await renderStatementPdf(statement, wording);
    return { contentType: "application/pdf", body: new Blob([new Uint8Array(bytes)]).stream() };
  }
  const { text } = wording;
  const { display } = statement;
  const { inCurrency, symbol } = display;
  const decimals = decimalsFor(amountsOf(statement), display);
  const fields = [
    { name: text("number"), read: () => statement.number },
    { name: text("account"), read: () => statement.user.username },
    { name: text("date"), read: (line: Line) => line.date },
    { name: text("type"), read: (line: Line) => line.type },
    { name: text("description"), read: (line: Line) => line.description },
    { name: text("requests"), read: (line: Line) => line.requests },
    { name: text("tokens"), read: (line: Line) => line.tokens },
    {
      name: inCurrency ? `${text("amount")} (${symbol.trim()})` : text("amount"),
      read: (line: Line) => (inCurrency ? exactAmount(line.amount, display, decimals) : line.amount),
    },
  ];
  return streamRows(once(linesOf(statement, wording)), rowWriter("csv", fields, null));
}

function linesOf(statement: MonthStatement, { text, kindOf, together, lateOf }: StatementWording): Line[] {
  const { from, until, opening, credits, charges, late, closing } = statement;
  const nothing = { description: "", requests: null, tokens: null };
  const last = toDate(until - 1);
  return [
    { ...nothing, date: toDate(from), type: text("opening"), amount: opening },
    ...credits.map(({ at, kind, note, count, amount }) => ({
      ...nothing,
      date: at === null ? last : toDate(at),
      type: kindOf(kind),
      description: at === null ? together(count) : note,
      amount,
    })),
    ...charges.map(({ model, count, tokens, amount }) => ({
      date: last,
      type: text("charges"),
      description: model ?? text("otherModels"),
      requests: count,
      tokens,
      amount: -amount,
    })),
    ...late.map(({ day, count, tokens, amount }) => ({
      date: last,
      type: text("late"),
      description: lateOf(day === null ? null : toDate(day)),
      requests: count,
      tokens,
      amount,
    })),
    { ...nothing, date: last, type: text("closing"), amount: closing },
  ];
}

async function* once<Row>(rows: Row[]): AsyncGenerator<Row[], void> {
  yield rows;
}
