import { type Answer, EMPTY_REPORT } from "../../answers/answer";

const NOTHING = Buffer.alloc(0);

/** What stands for an answer where a session has passed its frames by itself. */
export const SESSION_ANSWER: Answer = {
  start: () => {},
  push: () => null,
  end: () => null,
  isDone: true,
  events: 0,
  writtenTokens: 0,
  contentType: "",
  ending: () => NOTHING,
  cutShort: () => NOTHING,
  report: () => EMPTY_REPORT,
};
