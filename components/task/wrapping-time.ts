/** A column of moments that may break between day and hour: tables with many columns need the room. */
export const WRAPPING_TIME = "[&_time]:inline-block [&_time]:min-w-[11ch] [&_time]:whitespace-normal";
