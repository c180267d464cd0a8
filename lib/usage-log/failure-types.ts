/** Failed requests of one cause. Channel and users are there for administrators only. */
export type FailureGroup = {
  /** "" = the error had none. */
  code: string;
  /** The text without what differs from one request to the next. */
  cause: string;
  status: number;
  model: string;
  /** Requests, with those that only were counted. */
  count: number;
  /** Unix seconds. */
  firstAt: number;
  lastAt: number;
  channelId?: number;
  channelName?: string;
  users?: number;
};

/** `isPart`: there are more groups, or more failed requests than are grouped. */
export type FailureGroups = { groups: FailureGroup[]; isPart: boolean };

/** Requests of a span of time. `errors` are not among `requests`. */
export type LogBar = { start: number; requests: number; errors: number };

/** `stepSeconds`: the span of each bar. Bars without requests are in it; end is inclusive. */
export type LogBars = { start: number; end: number; stepSeconds: number; bars: LogBar[] };

/**
 * What is known of a request. noId: the text has none. foreign: not an id of this gateway. hidden: older than what the user may see.
 * counted: it may be one of those for which the row `requestId` stands. running: so young that it may not be booked yet.
 */
export type FoundRequest =
  | { kind: "found"; requestId: string }
  | { kind: "counted"; requestId: string; at: number; repeats: number }
  | { kind: "absent" | "running" | "hidden"; at: number }
  | { kind: "noId" | "foreign" };
