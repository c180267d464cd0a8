type Unit = { quotaPerUnit: number; symbol: string };

/** Why a typed amount is refused. `step` is the smallest amount, `digits` the most decimals. */
export type AmountIssue =
  | { kind: "text" }
  | { kind: "ambiguous" }
  | { kind: "digits"; digits: number }
  | { kind: "step"; step: string }
  | { kind: "nothing"; step: string }
  | { kind: "large" };

export type ParsedAmount = { quota: number } | { issue: AmountIssue };

const AMOUNT = /^([+-]?)(\d*)(?:[.,](\d*))?$/;
/** 1 / quotaPerUnit is taken as endless when it has more decimals than this. */
const EXACT_DIGITS_MAX = 12;

/**
 * The quota of a typed amount of money, computed without floating point. The decimal separator is "." or ","; full-width
 * characters and a leading symbol are accepted. "1,000" is refused, because it is read as 1 or as 1000.
 */
export function parseAmount(text: string, unit: Unit): ParsedAmount {
  const match = AMOUNT.exec(plain(text, unit.symbol));
  const [, sign = "", whole = "", written = ""] = match ?? [];
  if (!match || whole + written === "") return { issue: { kind: "text" } };
  if (/^[1-9]\d{0,2},\d{3}$/.test(plain(text, unit.symbol).replace(sign, ""))) return { issue: { kind: "ambiguous" } };
  const fraction = written.replace(/0+$/, "");
  const digits = digitsOf(unit.quotaPerUnit);
  if (fraction.length > digits) return { issue: { kind: "digits", digits } };
  const perUnit = toScaled(unit.quotaPerUnit);
  const product = BigInt(whole + fraction) * perUnit.value;
  const divisor = 10n ** BigInt(fraction.length + perUnit.digits);
  const size = roundHalfUp(product, divisor);
  if (size > BigInt(Number.MAX_SAFE_INTEGER)) return { issue: { kind: "large" } };
  if (size === 0n && product > 0n) return { issue: { kind: "nothing", step: amountText(1, unit) } };
  if (product % divisor !== 0n && isExact(unit.quotaPerUnit))
    return { issue: { kind: "step", step: amountText(1, unit) } };
  return { quota: size === 0n ? 0 : Number(size) * (sign === "-" ? -1 : 1) };
}

/** Quota as a plain decimal in currency units: no symbol, no exponent, no trailing zeros. parseAmount reads it back exactly. */
export function amountText(quota: number, { quotaPerUnit }: Pick<Unit, "quotaPerUnit">): string {
  if (!Number.isSafeInteger(quota)) return "";
  const perUnit = toScaled(quotaPerUnit);
  const digits = digitsOf(quotaPerUnit);
  const size = BigInt(Math.abs(quota)) * 10n ** BigInt(perUnit.digits + digits);
  const text = roundHalfUp(size, perUnit.value)
    .toString()
    .padStart(digits + 1, "0");
  const decimals = text.slice(text.length - digits).replace(/0+$/, "");
  const amount = `${text.slice(0, text.length - digits)}${decimals === "" ? "" : `.${decimals}`}`;
  return quota < 0 && amount !== "0" ? `-${amount}` : amount;
}

/** As typed, without full-width characters, blanks and the symbol. */
function plain(text: string, symbol: string): string {
  const withoutSymbol = text.replace(symbol.trim(), "");
  return withoutSymbol.normalize("NFKC").replace(/[\s\u3002]/g, (mark) => (mark === "\u3002" ? "." : ""));
}

/** The fewest decimals in which one quota is written exactly, or tells itself from the next one if none are exact. */
function digitsOf(quotaPerUnit: number): number {
  const exact = exactDigits(quotaPerUnit);
  return exact ?? Math.max(2, String(Math.ceil(quotaPerUnit)).length + 1);
}

const isExact = (quotaPerUnit: number) => exactDigits(quotaPerUnit) !== null;

/** The number of decimals of 1 / quotaPerUnit, at least 2; null if it has no end, or a very late one. */
function exactDigits(quotaPerUnit: number): number | null {
  const { value, digits } = toScaled(quotaPerUnit);
  for (let places = 2; places <= EXACT_DIGITS_MAX; places += 1)
    if (10n ** BigInt(digits + places) % value === 0n) return places;
  return null;
}

/** A positive number as `value` / 10^`digits`. */
function toScaled(number: number): { value: bigint; digits: number } {
  const [whole = "0", fraction = ""] = number.toFixed(Number.isInteger(number) ? 0 : 6).split(".");
  const kept = fraction.replace(/0+$/, "");
  return { value: BigInt(whole + kept), digits: kept.length };
}

function roundHalfUp(product: bigint, divisor: bigint): bigint {
  return (2n * product + divisor) / (2n * divisor);
}
