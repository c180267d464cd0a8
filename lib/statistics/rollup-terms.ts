export const HOUR = 3_600;
/**
 * Hours are summed this long after their end. Booking a charge later than 300 seconds after it
 * (db/functions/book-settlements.sql) moves the jobs' positions back, so a charge is either booked before its hour is
 * summed or causes a new sum.
 */
export const SETTLED_AFTER_SECONDS = 600;
/** Maximum hours per run, so that the job can be stopped; the next run continues. */
export const HOURS_PER_RUN = 48;
