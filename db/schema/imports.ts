import { bigint, boolean, integer, pgTable, primaryKey, uniqueIndex, varchar } from "drizzle-orm/pg-core";
import { json, nowSeconds, unixSeconds } from "../columns";

/** Other systems that were imported from. */
export const importSources = pgTable(
  "import_sources",
  {
    id: integer().primaryKey().generatedAlwaysAsIdentity(),
    /** new-api | one-api | litellm */
    system: varchar({ length: 16 }).notNull(),
    /** Of what the database holds, not of its address: a copy elsewhere is the same source. */
    fingerprint: varchar({ length: 64 }).notNull(),
    /** Weir had nothing but its first account when the import began. */
    intoFresh: boolean("into_fresh").notNull(),
    startedAt: unixSeconds().notNull().default(nowSeconds),
  },
  (table) => [uniqueIndex("import_sources_key").on(table.system, table.fingerprint)],
);

const source = () =>
  integer("source_id")
    .notNull()
    .references(() => importSources.id, { onDelete: "cascade" });

/** How far an import is with each kind of row. Changed in the transaction of the rows themselves. */
export const importPositions = pgTable(
  "import_positions",
  {
    sourceId: source(),
    kind: varchar({ length: 16 }).notNull(),
    /** The last row of the source that was dealt with. */
    lastId: bigint("last_id", { mode: "number" }).notNull(),
    /** What the report says of the rows so far. */
    findings: json().notNull(),
    updatedAt: unixSeconds().notNull().default(nowSeconds),
  },
  (table) => [primaryKey({ columns: [table.sourceId, table.kind] })],
);

/** The ids here of what was imported, by the ids there. */
export const importIds = pgTable(
  "import_ids",
  {
    sourceId: source(),
    kind: varchar({ length: 16 }).notNull(),
    oldId: bigint("old_id", { mode: "number" }).notNull(),
    newId: integer("new_id").notNull(),
  },
  (table) => [primaryKey({ columns: [table.sourceId, table.kind, table.oldId] })],
);
