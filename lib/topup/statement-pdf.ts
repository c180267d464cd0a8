import { readFileSync } from "node:fs";
import { join } from "node:path";
import PDFDocument from "pdfkit";
import { decimalsFor, formatExactQuota } from "@/lib/money/display";
import { amountsOf, type MonthStatement } from "./month-statement-types";
import { type StatementWording, toDate } from "./statement-wording";

const FONT = "statement";
const MARGIN = 48;
const WIDTH = 595.28 - 2 * MARGIN;
const BOTTOM = 841.89 - MARGIN - 24;
const ROW_GAP = 3.5;
const SIZE = 9;
const GREY = "#555555";
const RULE = "#cccccc";

type Document = InstanceType<typeof PDFDocument>;
/** `share` of the width; numbers are on the right. */
type Column = { title: string; share: number; isNumber?: boolean };
type Page = { document: Document; clean: (text: string) => string; money: (quota: number) => string };

let font: Buffer | undefined;

/** The font has Chinese and is embedded with the characters that occur. Read once. */
function readFont(): Buffer {
  font ??= readFileSync(join(process.cwd(), "lib", "topup", "statement-font", "weir-statement.otf"));
  return font;
}

/** A statement as a PDF of A4 pages. Its size is bounded, because a statement's lines are. */
export async function renderStatementPdf(statement: MonthStatement, wording: StatementWording): Promise<Buffer> {
  const document = new PDFDocument({
    size: "A4",
    margin: MARGIN,
    bufferPages: true,
    font: "",
    info: {
      Title: `${wording.text("title")} ${statement.number}`,
      Author: wording.issuer[0] ?? "",
      // An issued statement has the same bytes whenever it is made.
      CreationDate: new Date(statement.until * 1_000),
    },
  });
  const parts: Buffer[] = [];
  document.on("data", (part: Buffer) => parts.push(part));
  const ended = new Promise<void>((resolve, reject) => {
    document.on("end", resolve);
    document.on("error", reject);
  });
  document.registerFont(FONT, readFont());
  document.font(FONT);
  const { display } = statement;
  const decimals = decimalsFor(amountsOf(statement), display);
  const money = (quota: number) => formatExactQuota(quota, display, decimals);
  const page: Page = { document, clean: cleaner(document), money };
  drawHead(page, statement, wording);
  drawSums(page, statement, wording);
  drawCredits(page, statement, wording);
  drawCharges(page, statement, wording);
  if (statement.late.length > 0) drawLate(page, statement, wording);
  drawFoot(page, wording);
  document.end();
  await ended;
  return Buffer.concat(parts);
}

/** Replaces what the font does not have, and control characters, which would break lines. */
function cleaner(document: Document): (text: string) => string {
  const { font: face } = (document as unknown as { _font: { font: { hasGlyphForCodePoint(code: number): boolean } } })
    ._font;
  return (text) =>
    [...text.replaceAll(/\p{Cc}+/gu, " ")]
      .map((character) => (face.hasGlyphForCodePoint(character.codePointAt(0) ?? 0) ? character : "□"))
      .join("");
}

function drawHead({ document, clean }: Page, statement: MonthStatement, wording: StatementWording): void {
  const { number, from, until, isComplete, user } = statement;
  const { issuer, taxLine, text } = wording;
  const top = document.y;
  const half = WIDTH / 2;
  const [name = "", ...address] = issuer;
  document
    .fontSize(12)
    .fillColor("black")
    .text(clean(name), MARGIN, top, { width: half - 12 });
  document.fontSize(SIZE).fillColor(GREY);
  for (const line of [...address, taxLine].filter((each) => each !== ""))
    document.text(clean(line), { width: half - 12 });
  const left = document.y;
  document
    .fontSize(18)
    .fillColor("black")
    .text(text("title"), MARGIN + half, top, { width: half, align: "right" });
  document.fontSize(SIZE).fillColor(GREY);
  const last = toDate(until - 1);
  const lines = [
    `${text("number")} ${number}`,
    `${text("period")} ${wording.period(toDate(from), last)}`,
    `${text("issued")} ${toDate(until)}`,
    ...(isComplete ? [] : [text("running")]),
  ];
  for (const line of lines) document.text(clean(line), { width: half, align: "right" });
  document.y = Math.max(left, document.y) + 14;
  const who = [user.displayName, user.displayName === user.username ? "" : user.username, user.email, `ID ${user.id}`];
  const account = [...new Set(who.filter((each) => each !== ""))].join(" · ");
  document.fillColor("black").text(clean(`${text("account")} ${account}`), MARGIN, document.y, { width: WIDTH });
  document.moveDown(1);
}

function drawSums(page: Page, statement: MonthStatement, wording: StatementWording): void {
  const { opening, creditSum, chargeSum, late, lateSum, closing } = statement;
  const columns = [
    { title: "", share: 0.7 },
    { title: "", share: 0.3, isNumber: true },
  ];
  const rows = [
    [wording.text("opening"), page.money(opening)],
    [wording.text("credits"), page.money(creditSum)],
    [wording.text("charges"), page.money(-chargeSum)],
    ...(late.length > 0 ? [[wording.text("late"), page.money(lateSum)]] : []),
    [wording.text("closing"), page.money(closing)],
  ];
  drawTable(page, columns, rows);
}

function drawCredits(page: Page, { credits }: MonthStatement, wording: StatementWording): void {
  const { text, kindOf, together } = wording;
  const columns = [
    { title: text("date"), share: 0.14 },
    { title: text("type"), share: 0.2 },
    { title: text("description"), share: 0.44 },
    { title: text("amount"), share: 0.22, isNumber: true },
  ];
  const rows = credits.map(({ at, kind, note, count, amount }) => [
    at === null ? "" : toDate(at),
    kindOf(kind),
    at === null ? together(count) : note,
    page.money(amount),
  ]);
  drawSection(page, { title: text("credits"), none: text("none"), columns, rows });
}

function drawCharges(page: Page, { charges }: MonthStatement, wording: StatementWording): void {
  const { text } = wording;
  const columns = [
    { title: text("model"), share: 0.48 },
    { title: text("requests"), share: 0.13, isNumber: true },
    { title: text("tokens"), share: 0.17, isNumber: true },
    { title: text("amount"), share: 0.22, isNumber: true },
  ];
  const rows = charges.map(({ model, count, tokens, amount }) => [
    model ?? text("otherModels"),
    String(count),
    String(tokens),
    page.money(amount),
  ]);
  drawSection(page, { title: text("charges"), none: text("none"), columns, rows });
}

function drawLate(page: Page, { late }: MonthStatement, { text, lateOf }: StatementWording): void {
  const columns = [
    { title: text("description"), share: 0.48 },
    { title: text("requests"), share: 0.13, isNumber: true },
    { title: text("tokens"), share: 0.17, isNumber: true },
    { title: text("amount"), share: 0.22, isNumber: true },
  ];
  const rows = late.map(({ day, count, tokens, amount }) => [
    lateOf(day === null ? null : toDate(day)),
    String(count),
    String(tokens),
    page.money(amount),
  ]);
  drawSection(page, { title: text("late"), none: text("none"), columns, rows });
}

type Section = { title: string; none: string; columns: readonly Column[]; rows: readonly string[][] };

function drawSection(page: Page, { title, none, columns, rows }: Section): void {
  const { document } = page;
  if (document.y > BOTTOM - 60) document.addPage();
  document.moveDown(1.2).fontSize(12).fillColor("black").text(title, MARGIN, document.y, { width: WIDTH });
  document.moveDown(0.3);
  if (rows.length > 0) drawTable(page, columns, rows);
  else document.fontSize(SIZE).fillColor(GREY).text(none, MARGIN, document.y, { width: WIDTH });
}

/** Rows with a rule below each; the titles are repeated on each page. */
function drawTable(page: Page, columns: readonly Column[], rows: readonly string[][]): void {
  const { document, clean } = page;
  const titles = columns.map(({ title }) => title);
  const hasTitles = titles.some((title) => title !== "");
  if (hasTitles) drawRow(page, columns, titles, GREY);
  for (const row of rows.map((cells) => cells.map(clean))) {
    if (document.y + heightOf(page, columns, row) > BOTTOM) {
      document.addPage();
      if (hasTitles) drawRow(page, columns, titles, GREY);
    }
    drawRow(page, columns, row, "black");
  }
}

function heightOf({ document }: Page, columns: readonly Column[], cells: readonly string[]): number {
  document.fontSize(SIZE);
  const heights = columns.map(({ share }, place) =>
    document.heightOfString(cells[place] || " ", { width: share * WIDTH - 8 }),
  );
  return Math.max(...heights) + 2 * ROW_GAP;
}

function drawRow(page: Page, columns: readonly Column[], cells: readonly string[], colour: string): void {
  const { document } = page;
  const top = document.y;
  const height = heightOf(page, columns, cells);
  let x = MARGIN;
  document.fillColor(colour);
  for (const [place, { share, isNumber }] of columns.entries()) {
    const width = share * WIDTH;
    const options = { width: width - 8, align: isNumber ? ("right" as const) : ("left" as const) };
    document.text(cells[place] ?? "", isNumber ? x + 8 : x, top + ROW_GAP, options);
    x += width;
  }
  const line = top + height;
  document
    .moveTo(MARGIN, line)
    .lineTo(MARGIN + WIDTH, line)
    .lineWidth(0.5)
    .strokeColor(RULE)
    .stroke();
  document.y = line;
}

/** The hint below the last table, and the number on each page. */
function drawFoot({ document, clean }: Page, { text, pageOf }: StatementWording): void {
  document.fontSize(8).fillColor(GREY);
  if (document.y > BOTTOM - 24) document.addPage();
  document.moveDown(1).text(clean(text("hint")), MARGIN, document.y, { width: WIDTH });
  const { count } = document.bufferedPageRange();
  for (let page = 0; page < count; page++) {
    document.switchToPage(page);
    // Text below the margin would begin a new page.
    document.page.margins.bottom = 0;
    document.text(pageOf(page + 1, count), MARGIN, BOTTOM + 20, { width: WIDTH, align: "right", lineBreak: false });
  }
}
