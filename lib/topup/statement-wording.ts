/** The texts of a statement in its reader's language. */
export type StatementWording = {
  /** The operator's name and address, line by line; the first line is the name. */
  issuer: readonly string[];
  taxLine: string;
  text: (key: StatementText) => string;
  kindOf: (kind: string) => string;
  /** "42 entries", for several changes of the balance together. */
  together: (count: number) => string;
  /** "booked later, for 2026-10-31"; null = for several days, or for a time before an import. */
  lateOf: (day: string | null) => string;
  period: (from: string, until: string) => string;
  pageOf: (page: number, pages: number) => string;
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
  "late",
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

/** yyyy-MM-dd in UTC. */
export const toDate = (seconds: number): string => new Date(seconds * 1_000).toISOString().slice(0, 10);
