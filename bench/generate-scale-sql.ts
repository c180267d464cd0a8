/** How many rows of each kind; logs are spread over `days` up to now. */
export type Scale = {
  channels: number;
  users: number;
  tokens: number;
  redemptions: number;
  logs: number;
  days: number;
  /** Purchases, drawing tasks and music tasks, each; a callback for every finished purchase. */
  operations: number;
  audits: number;
};

/** Names that made-up rows are given. */
export const MODELS = [
  "gpt-4o-mini",
  "gpt-4o",
  "gpt-4.1-mini",
  "gpt-4.1",
  "o4-mini",
  "o3",
  "claude-sonnet-4-20250514",
  "claude-3-5-haiku-20241022",
  "gemini-2.5-pro",
  "gemini-2.5-flash",
  "deepseek-chat",
  "deepseek-reasoner",
];
export const GROUPS = ["default", "vip", "svip"];

/** SQL: a whole number from 0 below `bound`, the same for the same row and salt in every run. */
export const pick = (row: string, salt: number, bound: number | string): string =>
  `(abs(hashint8extended(${row}, ${salt}) % ${bound}))::int`;

/** SQL: a rank from 1 to `bound`, the first as much more often than the n-th as n says (Zipf's law). */
export const pickRank = (row: string, salt: number, bound: number | string): string =>
  `least(floor(power((${bound}) + 1, ${pick(row, salt, 1_000_000)} / 1000000.0::float8))::int, ${bound})`;

/** SQL: one of the names, by a whole number from 0. */
export const oneOf = (list: readonly string[], index: string): string =>
  `(array[${list.map((item) => `'${item}'`).join(",")}])[1 + ${index}]`;
