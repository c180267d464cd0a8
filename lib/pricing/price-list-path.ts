/** More do not fit into an address, and nobody prices them one by one. */
export const NAMED_MODELS_MAX = 50;

/** The address of the price list with these models selected, ready to be given a price. */
export function priceListPath(models: readonly string[]): `/setting/prices/list?${string}` {
  const names = models.slice(0, NAMED_MODELS_MAX).map(encodeURIComponent);
  return `/setting/prices/list?models=${names.join(",")}`;
}
