/** The texts of a statement in its reader's language, and how its amounts are written. */
export type StatementWording = {
  /** The operator's name and address, line by line; the first line is the name. */
  issuer: readonly string[];
  taxLine: string;
  text: (key: StatementText) => string;
  kindOf: (kind: string) => string;
  /** "42 entries", for several changes of the balance together. */
  together: (count: number) => string;
  period: (from: string, until: string) => string;
  pageOf: (page: number, pages: number) => string;
  quotaPerUnit: number;
  /** Null = amounts are shown as quota. */
  symbol: string | null;
};

export const STATEMENT_TEXTS = [
  "title",
  "number",
  "period",
  "issued",
  "account",
  "running",
  "opening",
  "credits",
  "charges",
  "closing",
  "date",
  "type",
  "description",
  "amount",
  "model",
  "requests",
  "tokens",
  "otherModels",
  "none",
  "hint",
] as const;
export type StatementText = (typeof STATEMENT_TEXTS)[number];

const DIGITS_MIN = 2;
const DIGITS_MAX = 6;

/** An amount with 2 to 6 decimals, as many as it needs, so that the lines of a statement add up as they are printed. */
export function toAmount(
  quota: number,
  { quotaPerUnit, symbol }: Pick<StatementWording, "quotaPerUnit" | "symbol">,
): string {
  if (symbol === null) return String(quota);
  const [whole = "0", decimals = ""] = Math.abs(quota / quotaPerUnit)
    .toFixed(DIGITS_MAX)
    .split(".");
  const shown = decimals.replace(/0+$/, "").padEnd(DIGITS_MIN, "0");
  return `${quota < 0 ? "-" : ""}${symbol}${whole.replace(/\B(?=(\d{3})+$)/g, ",")}.${shown}`;
}

/** yyyy-MM-dd in UTC. */
export const toDate = (seconds: number): string => new Date(seconds * 1_000).toISOString().slice(0, 10);
