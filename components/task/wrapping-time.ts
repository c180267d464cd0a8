/** Lets timestamps wrap between date and time, which saves width in tables with many columns. */
export const WRAPPING_TIME = "[&_time]:inline-block [&_time]:min-w-[11ch] [&_time]:whitespace-normal";
