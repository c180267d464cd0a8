/** At which percentages of a budget its owner is warned until they choose others. */
export const BUDGET_STEPS = [80, 95] as const;

/** A setting of the account, in rising order; none = no warnings. What is no list of percentages is the default. */
export function budgetSteps(setting: unknown): number[] {
  if (!Array.isArray(setting)) return [...BUDGET_STEPS];
  const steps = setting.filter((step) => Number.isInteger(step) && step >= 1 && step <= 100);
  return [...new Set<number>(steps)].sort((a, b) => a - b);
}
