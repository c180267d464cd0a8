/** Rows of the fault table that break a rule until the relay is mended. A mended row must leave this list. */
export const knownBroken: readonly string[] = [];
