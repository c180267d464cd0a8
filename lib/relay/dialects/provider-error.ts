import type { WireError } from "../canonical/wire-error";

/** An error in a provider's own words. */
export type ProviderError = {
  error: WireError;
  /** The status that it stands for; null = its code is not known. */
  status: number | null;
};
