/** A value as the driver of a source gives it. */
export type SourceValue = string | number | bigint | boolean | Date | Uint8Array | null | undefined;
export type SourceRow = Record<string, SourceValue>;

/** Another system's database, opened for reading. */
export type Source = {
  /** Columns by table, of the tables that it has. */
  readonly tables: ReadonlyMap<string, ReadonlySet<string>>;
  /** Rows in the order of `key`, at most `limit`, those with a key beyond `after` only. Columns that it does not have are left out. */
  page: (
    table: string,
    wanted: readonly string[],
    page: { key: string; after: number | string; limit: number },
  ) => Promise<SourceRow[]>;
  /** All rows of a small table. */
  all: (table: string, wanted: readonly string[]) => Promise<SourceRow[]>;
  count: (table: string) => Promise<number>;
  close: () => Promise<void>;
};

export const SYSTEMS = ["new-api", "one-api"] as const;
export type System = (typeof SYSTEMS)[number];

/** The kinds of rows that are imported, in this order: later ones refer to earlier ones. */
export const KINDS = ["options", "users", "factors", "tokens", "channels", "redemptions", "topups", "logs"] as const;
export type Kind = (typeof KINDS)[number];

export const COLLISIONS = ["skip", "rename"] as const;
export type OnCollision = (typeof COLLISIONS)[number];

export type ImportSettings = {
  system: System;
  dryRun: boolean;
  withLogs: boolean;
  /** Take the options though this Weir is not a fresh one. */
  withOptions: boolean;
  onCollision: OnCollision;
  /** one-api: its default ratio becomes the ratio of the models that it charged at it. */
  takesDefaultRatio?: boolean;
  /** After a batch of the log was committed; waits while the log store has too much to take. */
  afterLogs?: (rows: number) => Promise<void>;
  /** Told after every batch. */
  onProgress: (kind: Kind, findings: { read: number; moved: number }) => void;
  /** Told how many hours are summed for the charts so far, after everything was imported. */
  onSums?: (hours: number) => void;
};
