export type { UsageLog } from "./columns";

/** Money in the window, and the load of the last 60 seconds: requests and tokens a minute. */
export type UsageSum = { quota: number; rpm: number; tpm: number };
