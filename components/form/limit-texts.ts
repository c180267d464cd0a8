export type LimitName =
  | "requestsPerMinute"
  | "tokensPerMinute"
  | "concurrencyLimit"
  | "budgetDay"
  | "budgetWeek"
  | "budgetMonth";

/** The limits of a row as the fields show them. */
export function toLimitTexts<Name extends LimitName>(
  names: readonly Name[],
  row: Record<Name, number> | null,
): Record<Name, string> {
  return Object.fromEntries(names.map((name) => [name, String(row?.[name] ?? 0)])) as Record<Name, string>;
}

/** The numbers of the fields; an empty field is never "no limit". */
export function toLimits<Name extends LimitName>(
  names: readonly Name[],
  draft: Record<Name, string>,
): Record<Name, number> {
  const numbers = names.map((name) => [name, toNumber(draft[name])]);
  return Object.fromEntries(numbers) as Record<Name, number>;
}

/** Parses a number; an empty field is NaN, which the server refuses, and not 0. */
export function toNumber(text: string): number {
  return text.trim() === "" ? Number.NaN : Number(text);
}
