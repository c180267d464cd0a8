import type { ServiceContext } from "@/lib/context";
import type { Findings } from "./findings";
import type { KnownOwners } from "./log-owners";
import type { Lookups } from "./lookup-queries";
import type { ImportSettings, Kind, SourceRow } from "./types";

/** What a step works with: one batch of rows in one transaction. */
export type StepContext = {
  /** `db` is the transaction; in a dry run the database, of which a step then only reads. */
  ctx: ServiceContext;
  lookups: Lookups;
  findings: Findings;
  settings: ImportSettings;
  sourceId: number;
  known: KnownOwners;
  /** The options of the source. */
  options: ReadonlyMap<string, string>;
};

/** How one kind of row is imported. */
export type Step = {
  kind: Kind;
  table: string;
  key: string;
  /** What is read, where the table has it. */
  columns: readonly string[];
  /** Columns that are known and of no use here; all others are reported. */
  ignored: readonly string[];
  batch: number;
  run: (rows: readonly SourceRow[], at: StepContext) => Promise<void>;
};
