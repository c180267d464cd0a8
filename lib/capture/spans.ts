/** In seconds. */
export const CAPTURE_SPANS = [3_600, 86_400, 604_800] as const;
