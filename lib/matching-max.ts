/** How many rows that match a filter can be selected at once. */
export const MATCHING_MAX = 1_000;
