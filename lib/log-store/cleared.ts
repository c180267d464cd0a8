/** The name in job_positions of the time before which the usage log was cleared. */
export const LOGS_CLEARED = "logs-cleared";
