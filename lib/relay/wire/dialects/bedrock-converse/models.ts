const NOVA = /\bnova-/;

export function isNova(model: string): boolean {
  return NOVA.test(model);
}

/** Other models refuse a cache point. */
export function takesCachePoints(model: string): boolean {
  return NOVA.test(model) || /claude/.test(model);
}
