import type { WireError } from "../../canonical/wire-error";

/** An error in a provider's own words. */
export type ProviderError = {
  error: WireError;
  /** The status that it stands for; null = its code is not known. */
  status: number | null;
};

/** The status of the first name that the code begins with; for codes like `InvalidParameter.Model`. */
export function statusOfCode(code: string, statuses: readonly (readonly [string, number])[]): number | null {
  return statuses.find(([name]) => code === name || code.startsWith(`${name}.`))?.[1] ?? null;
}
