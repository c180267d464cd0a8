export type { UsageLog } from "./columns";

/** The quota charged in the window, and requests and tokens of the last 60 seconds. */
export type UsageSum = { quota: number; rpm: number; tpm: number };
