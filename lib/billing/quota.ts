declare const quotaBrand: unique symbol;

/** A whole number of internal money units (500,000 = 1 USD unless QuotaPerUnit says otherwise). Never a float. */
export type Quota = number & { readonly [quotaBrand]: true };

export const NO_QUOTA = 0 as Quota;

/** Throws on fractions, NaN and numbers beyond 2^53: a balance is never approximate. */
export function toQuota(value: number): Quota {
  if (!Number.isSafeInteger(value)) throw new RangeError(`not a whole quota: ${value}`);
  return (value === 0 ? 0 : value) as Quota;
}
