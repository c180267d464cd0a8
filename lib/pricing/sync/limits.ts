/** What one call can take over; the rest takes another call. */
export const SELECTED_MAX = 5_000;
