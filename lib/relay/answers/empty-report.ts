import type { Report } from "./answer";

const NO_LENGTH = Object.freeze({ asciiBytes: 0, otherBytes: 0 });

/** Of what is charged by other means than the report of an answer. */
export const EMPTY_REPORT: Report = Object.freeze({
  usage: null,
  finishReason: null,
  isComplete: true,
  textBytes: () => 0,
  textLength: () => NO_LENGTH,
  sample: () => ({ countable: { texts: [], extra: 0 }, isAll: true, length: NO_LENGTH }),
});
