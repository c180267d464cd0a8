/** Number of rows of each kind; logs are spread over the last `days` days. */
export type Scale = {
  channels: number;
  users: number;
  tokens: number;
  redemptions: number;
  logs: number;
  days: number;
  /** Number of purchases, of drawing tasks and of music tasks. Every successful purchase also has a callback. */
  operations: number;
  audits: number;
};

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

/** SQL: an integer from 0 to `bound` − 1, the same for the same row and salt in every run. */
export const pick = (row: string, salt: number, bound: number | string): string =>
  `(abs(hashint8extended(${row}, ${salt}) % ${bound}))::int`;

/** SQL: a rank from 1 to `bound`, where rank n is about 1/n as frequent as rank 1 (Zipf's law). */
export const pickRank = (row: string, salt: number, bound: number | string): string =>
  `least(floor(power((${bound}) + 1, ${pick(row, salt, 1_000_000)} / 1000000.0::float8))::int, ${bound})`;

/** SQL: the list item at a zero-based index. */
export const oneOf = (list: readonly string[], index: string): string =>
  `(array[${list.map((item) => `'${item}'`).join(",")}])[1 + ${index}]`;
