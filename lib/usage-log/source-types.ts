import type { SQL } from "drizzle-orm";
import type { UsageLog } from "./columns";

/** The last row of the previous batch; the next one continues after it by time, then id. */
export type Place = { createdAt: number; id: number };

/** Values by column, any of which a row has. 1 for the costs: rows that lost something. */
export type AskedValues = Readonly<Record<string, readonly (string | number)[]>>;

/** Which rows of the log are asked for. */
export type Asked = {
  /** On columns of usage_logs; see lib/log-store/clickhouse/condition.ts for what may be in it. */
  where: SQL | undefined;
  /** Without hidden rows; false = with them. */
  isShown: boolean;
  /** What `where` says of created_at, both inclusive: where in ClickHouse the rows can be. */
  from?: number;
  until?: number;
  /** What `where` says of the request id: text has no index in ClickHouse, the time in an id has. */
  requestId?: string;
  /** The same as `where`, as conditions that exclude each other: PostgreSQL then finds the rows of each by an index of its own. */
  either?: readonly (SQL | undefined)[];
  /** What `where` says of the user. */
  userId?: number;
  /** What `where` says of other columns: ClickHouse has an index of the hours in which a value is. */
  values?: AskedValues;
};

export type Counted = { at: number; count: number };
export type Sums = { quota: number; count: number; tokens: number };
/** Rows of failed requests alike. `read`: how many rows were read for all groups. */
export type FailureSums = {
  code: string;
  cause: string;
  status: number;
  channelId: number;
  model: string;
  count: number;
  users: number;
  firstAt: number;
  lastAt: number;
};
export type FailureReading = { groups: FailureSums[]; isPart: boolean };

/** Where the rows of the usage log are read. */
export type LogSource = {
  /** Newest first, with the names of channels. */
  newest: (asked: Asked & { limit: number; offset?: number; before?: Place | null }) => Promise<UsageLog[]>;
  /** A page and the number of all rows, counted up to `max`. */
  page: (asked: Asked & { limit: number; offset: number; max: number }) => Promise<{ rows: UsageLog[]; total: number }>;
  /** Counted up to `max`. */
  count: (asked: Asked, max: number) => Promise<number>;
  /** By spans of `step` seconds: rows, or the requests that they stand for. */
  countByTime: (asked: Asked, step: number, unit: "rows" | "requests") => Promise<Counted[]>;
  sum: (asked: Asked) => Promise<Sums>;
  /** Of the newest `newest` failed requests, the most frequent `limit` groups; by channel as well if `byChannel`. */
  groupFailures: (
    asked: Asked,
    terms: { byChannel: boolean; newest: number; limit: number },
  ) => Promise<FailureReading>;
  /** The rows whose content begins with the text, among the newest `among`; null = all of these. */
  search: (asked: Asked, terms: { begins: string | null; among: number; limit: number }) => Promise<UsageLog[]>;
  /** The first row by time. */
  oldest: (asked: Asked) => Promise<{ requestId: string; repeats: number } | null>;
  /** The models in rows that are shown. `like`: of those that match a pattern of LIKE. */
  models: (like: string) => Promise<string[]>;
};
