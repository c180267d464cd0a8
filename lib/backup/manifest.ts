import { z } from "zod";
import { DamagedBackup } from "./backup-error";

export const FORMAT_VERSION = 1;

/** Identifiers go into SQL, so only those that Weir's own tables have are taken. */
const identifier = z.string().regex(/^[a-z_][a-z0-9_]{0,62}$/);

const manifestSchema = z.object({
  format: z.literal(FORMAT_VERSION),
  /** When the journals were read: what was charged by then is in the backup. */
  madeAt: z.iso.datetime(),
  postgres: z.string(),
  /** Migrations of the database, oldest first. */
  migrations: z.array(z.object({ hash: z.string(), when: z.number().int() })).min(1),
  hasLogs: z.boolean(),
  hasSecret: z.boolean(),
  /** A text sealed under the secret, which tells a wrong secret; null = the secret was not known. */
  secretCheck: z.string().nullable(),
  /** Partitions by range of unix seconds: `from` inclusive, `to` exclusive. */
  partitions: z.array(
    z.object({ parent: identifier, name: identifier, from: z.number().int(), to: z.number().int() }).strict(),
  ),
});

const tableSchema = z.object({ name: identifier, columns: z.array(identifier).min(1) });
const tableEndSchema = z.object({ name: identifier, rows: z.number().int().min(0), sha256: z.string() });
const sequencesSchema = z.array(
  z.object({ table: identifier, column: identifier, last: z.string().regex(/^-?\d{1,19}$/), isCalled: z.boolean() }),
);
/** Rows of usage_logs as the journal has them. */
const pendingSchema = z.array(z.string());
const endSchema = z.object({ tables: z.number().int(), rows: z.number().int(), sha256: z.string() });

export type Manifest = z.infer<typeof manifestSchema>;
export type TableHead = z.infer<typeof tableSchema>;
export type Sequence = z.infer<typeof sequencesSchema>[number];

/** The parts of an archive, in this order; a table is its head, its rows and its end. */
export const PART = {
  manifest: 1,
  secret: 2,
  pending: 3,
  table: 4,
  rows: 5,
  tableEnd: 6,
  sequences: 7,
  end: 8,
} as const;

const schemas = {
  [PART.manifest]: manifestSchema,
  [PART.secret]: z.object({ secret: z.string().min(16) }),
  [PART.pending]: pendingSchema,
  [PART.table]: tableSchema,
  [PART.tableEnd]: tableEndSchema,
  [PART.sequences]: sequencesSchema,
  [PART.end]: endSchema,
};
type Schemas = typeof schemas;

export type Part =
  | { kind: typeof PART.rows; bytes: Buffer }
  | { [K in keyof Schemas]: { kind: K; value: z.infer<Schemas[K]> } }[keyof Schemas];

/** Throws DamagedBackup when the bytes are not such a part. */
export function parsePart(kind: number, bytes: Buffer): Part {
  if (kind === PART.rows) return { kind, bytes };
  const schema = schemas[kind as keyof Schemas];
  if (!schema) throw new DamagedBackup(`it has a part of the unknown kind ${kind}`);
  const parsed = schema.safeParse(readJson(bytes));
  if (!parsed.success) throw new DamagedBackup(`a part of the kind ${kind} cannot be read`);
  return { kind, value: parsed.data } as Part;
}

function readJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    return undefined;
  }
}
