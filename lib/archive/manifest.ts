import { createHash } from "node:crypto";
import { z } from "zod";
import { type ArchiveColumn, LOG_ARCHIVE_COLUMNS } from "./columns";
import { ARCHIVE_FORMATS } from "./config";
import { archiveName, isArchiveName, manifestName } from "./names";
import { ArchiveError, type ArchiveStorage } from "./storage";

const MANIFEST_BYTES_MAX = 100_000;
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const count = z.number().int().min(0);
/** The year 9999 is the last that a name can have. */
const seconds = z.number().int().min(0).max(253_402_300_800);

const NEEDED = ["id", "created_at", "request_id"];

const contentSchema = z.strictObject({
  /** The version of this form. */
  version: z.literal(1),
  name: z.string().refine(isArchiveName),
  table: z.literal("usage_logs"),
  /** Unix seconds; every row is of [from, until). */
  from: seconds,
  until: seconds,
  rows: count,
  /** The sum of the rows' ids. */
  idSum: z.string().regex(/^-?\d{1,40}$/),
  format: z.enum(ARCHIVE_FORMATS),
  bytes: count,
  sha256,
  columns: z
    .array(
      z.strictObject({
        name: z.string().regex(/^[a-z][a-z_]{0,62}$/),
        type: z.enum(["int32", "int64", "boolean", "text", "json"]),
        nullable: z.boolean(),
      }),
    )
    .min(1)
    .refine(isKnownColumns, "columns of the log with their types, each once"),
  /** The newest migration of the database. */
  schema: z.string().max(200),
  madeAt: z.iso.datetime(),
});

/** A newer Weir may have more columns than this one; the others must be what they are here. */
function isKnownColumns(columns: readonly ArchiveColumn[]): boolean {
  const known = new Map(LOG_ARCHIVE_COLUMNS.map((column) => [column.name, column]));
  const names = columns.map(({ name }) => name);
  if (new Set(names).size < names.length || !NEEDED.every((name) => names.includes(name))) return false;
  return columns.every(({ name, type, nullable }) => {
    const column = known.get(name);
    return column === undefined || (column.type === type && (column.nullable || !nullable));
  });
}

export type Manifest = z.infer<typeof contentSchema>;

export function encodeManifest(content: Manifest): { bytes: Buffer; sha256: string } {
  const bytes = Buffer.from(`${JSON.stringify({ ...content, checksum: digestOf(content) }, null, 2)}\n`);
  return { bytes, sha256: createHash("sha256").update(bytes).digest("hex") };
}

/** A manifest as it is stored, with the checksum of its bytes. Throws ArchiveError when it is not what was written. */
export async function readManifest(
  storage: ArchiveStorage,
  name: string,
): Promise<{ manifest: Manifest; sha256: string }> {
  const held: Uint8Array[] = [];
  let size = 0;
  for await (const part of storage.get(manifestName(name))) {
    size += part.length;
    if (size > MANIFEST_BYTES_MAX) throw damaged(name, "it is too long");
    held.push(part);
  }
  const bytes = Buffer.concat(held);
  const manifest = decodeManifest(bytes, name);
  return { manifest, sha256: createHash("sha256").update(bytes).digest("hex") };
}

function decodeManifest(bytes: Buffer, name: string): Manifest {
  let parsed: Record<string, unknown>;
  try {
    parsed = JSON.parse(bytes.toString("utf8"));
  } catch (error) {
    throw damaged(name, "it is no JSON", error);
  }
  const { checksum, ...rest } = parsed ?? {};
  const content = contentSchema.safeParse(rest);
  if (!content.success) throw damaged(name, "a field is missing or not what it should be", content.error);
  if (checksum !== digestOf(content.data)) throw damaged(name, "its checksum is wrong, so it was edited or damaged");
  const { from, until } = content.data;
  if (from >= until) throw damaged(name, "it ends before it begins");
  if (content.data.name !== name || name !== archiveName(from, until, name.slice(-12))) {
    throw damaged(name, "it is the manifest of another archive");
  }
  return content.data;
}

function digestOf(content: Manifest): string {
  // Parsed once more, so that the order of the fields is always that of the schema.
  return createHash("sha256")
    .update(JSON.stringify(contentSchema.parse(content)))
    .digest("hex");
}

function damaged(name: string, reason: string, cause?: unknown): ArchiveError {
  return new ArchiveError(`The manifest of ${name} cannot be used: ${reason}.`, { cause });
}
