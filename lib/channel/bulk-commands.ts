import { and, inArray, sql } from "drizzle-orm";
import type { Database } from "@/db/client";
import { bulkChanges, channels } from "@/db/schema";
import { writeAudits } from "@/lib/audit/commands";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { sha256Hex } from "@/lib/crypto";
import { AppError } from "@/lib/errors";
import { CHANNEL_STATUS } from "@/lib/row-status";
import { parseInput } from "@/lib/validation";
import { type BulkField, type BulkRow, type BulkStep, type BulkValue, fieldOf, planStep } from "./bulk-plan";
import {
  BULK_ROWS_MAX,
  BULK_ROWS_SHOWN,
  type BulkChange,
  type BulkInput,
  bulkApplySchema,
  bulkInputSchema,
  type bulkTargetSchema,
} from "./bulk-schemas";
import type { BulkApplied, BulkPreview } from "./bulk-types";
import { reviveKeys } from "./key-state-commands";
import { filterChannels } from "./queries";

export const BULK_SUBJECT = "channel";

type Target = (typeof bulkTargetSchema)["_output"];

/** The row before the change, with the value of the changed field and the reason why the channel was disabled. */
export type BulkBefore = { id: number; name: string; before: BulkValue; after: BulkValue; info: unknown };

const COLUMNS = {
  id: channels.id,
  name: channels.name,
  status: channels.status,
  tag: channels.tag,
  group: channels.group,
  models: channels.models,
  priority: channels.priority,
  weight: channels.weight,
  info: channels.otherInfo,
};
type LockedRow = BulkRow & { info: unknown };

/** The column of each field and how its text is converted. */
export const BULK_COLUMNS: Record<BulkField, string> = {
  status: "status = given.value::int",
  tag: "tag = given.value",
  group: '"group" = given.value',
  models: "models = given.value",
  priority: "priority = given.value::int",
  weight: "weight = given.value::int",
};

/** Shows what the change would do to which rows; nothing is written (administrators). Throws invalid for too many rows. */
export async function previewBulkChange(ctx: ServiceContext, input: BulkInput): Promise<BulkPreview> {
  requireRole(ctx, ROLE.admin);
  const { target, change } = parseInput(bulkInputSchema, input);
  const rows = await readRows(ctx.db, target, false);
  const seen = { matched: rows.length, fingerprint: fingerprintOf(rows, change) };
  if (change.kind === "delete") {
    const shown = rows.slice(0, BULK_ROWS_SHOWN).map(({ id, name }) => ({ id, name, before: name, after: null }));
    return { ...seen, changed: rows.length, same: 0, refused: [], field: null, rows: shown };
  }
  const steps = rows.map((row) => ({ row, step: planStep(row, change) }));
  const changes = steps.flatMap(({ row, step }) => (step.kind === "change" ? [toChange(row, step)] : []));
  return {
    ...seen,
    changed: changes.length,
    same: steps.filter(({ step }) => step.kind === "same").length,
    refused: steps.flatMap(({ row, step }) =>
      step.kind === "refused" ? [{ id: row.id, name: row.name, reason: step.reason }] : [],
    ),
    field: fieldOf(change),
    rows: changes.slice(0, BULK_ROWS_SHOWN).map(({ info: _, ...shown }) => shown),
  };
}

/** Differs when other rows are selected, or somebody else has changed what the change is about to change. */
function fingerprintOf(rows: readonly BulkRow[], change: BulkChange): string {
  const shown = change.kind === "delete" ? "name" : fieldOf(change);
  return sha256Hex(JSON.stringify(rows.map((row) => [row.id, row[shown]])));
}

/**
 * Applies the change in one transaction and stores the old values for undo. Rows that already have the value, or would
 * become unusable, are left as they are. Throws conflict when the rows, or what would be changed of them, differ from the preview's.
 */
export async function applyBulkChange(
  ctx: ServiceContext,
  input: BulkInput & { expected: string },
): Promise<BulkApplied> {
  requireRole(ctx, ROLE.admin);
  const { target, change, expected } = parseInput(bulkApplySchema, input);
  return ctx.db.transaction(async (tx) => {
    const rows = await readRows(tx, target, true);
    if (fingerprintOf(rows, change) !== expected) throw new AppError("conflict", "bulkRowsChanged");
    if (rows.length === 0) return { id: null, changed: 0 };
    if (change.kind === "delete") return removeRows(tx, ctx, rows);
    return changeRows(tx, ctx, rows, change);
  });
}

async function changeRows(
  tx: Database,
  ctx: ServiceContext,
  rows: LockedRow[],
  change: Exclude<BulkChange, { kind: "delete" }>,
): Promise<BulkApplied> {
  const changes = rows.flatMap((row) => {
    const step = planStep(row, change);
    return step.kind === "change" ? [toChange(row, step)] : [];
  });
  if (changes.length === 0) return { id: null, changed: 0 };
  const field = fieldOf(change);
  await writeValues(
    tx,
    field,
    changes.map(({ id, after }) => ({ id, value: after, info: {} })),
  );
  if (change.kind === "enable") {
    await reviveKeys(
      tx,
      changes.map(({ id }) => id),
    );
  }
  const id = await keep(tx, ctx, { ...change, field, changed: changes.length }, changes);
  await writeAudits(
    tx,
    ctx,
    changes.map((row) => ({
      action: "channel.bulk",
      subject: `channel:${row.id}`,
      before: { [field]: row.before },
      after: { [field]: row.after, bulk: id },
    })),
  );
  return { id, changed: changes.length };
}

async function removeRows(tx: Database, ctx: ServiceContext, rows: LockedRow[]): Promise<BulkApplied> {
  const ids = rows.map(({ id }) => id);
  const any = sql`any(${sql.param(ids)}::int[])`;
  // Whole rows with sealed keys. A job in lib/jobs removes them when undo is no longer possible.
  const [kept] = await tx.execute<{ before: unknown }>(sql`
    select json_build_object(
      'channels', (select json_agg(to_jsonb(channels)) from channels where id = ${any}),
      'keys', (select coalesce(json_agg(to_jsonb(channel_keys)), '[]') from channel_keys where channel_id = ${any})
    ) as before`);
  const id = await keep(tx, ctx, { kind: "delete", changed: rows.length }, kept?.before ?? {});
  await tx.delete(channels).where(inArray(channels.id, ids));
  await writeAudits(
    tx,
    ctx,
    rows.map(({ info: _, ...row }) => ({
      action: "channel.delete",
      subject: `channel:${row.id}`,
      before: row,
      after: { bulk: id },
    })),
  );
  return { id, changed: rows.length };
}

/** Writes one value per row. A change of status also clears the reason of the old status. */
export async function writeValues(
  tx: Database,
  field: BulkField,
  values: { id: number; value: BulkValue; info: unknown }[],
): Promise<void> {
  const given = JSON.stringify(values);
  const info = field === "status" ? sql`, other_info = given.info` : sql``;
  await tx.execute(sql`
    update channels set ${sql.raw(BULK_COLUMNS[field])}${info}
    from jsonb_to_recordset(${given}::text::jsonb) as given (id int, value text, info jsonb)
    where channels.id = given.id`);
}

async function keep(tx: Database, ctx: ServiceContext, change: object, before: unknown): Promise<number> {
  const actorId = requireRole(ctx, ROLE.admin).id;
  const [row] = await tx
    .insert(bulkChanges)
    .values({ actorId, subject: BULK_SUBJECT, change, before })
    .returning({ id: bulkChanges.id });
  if (!row) throw new Error("the change was not stored");
  return row.id;
}

/** The selected rows by id; `lock` locks them until the transaction ends. */
async function readRows(db: Database, target: Target, lock: boolean): Promise<LockedRow[]> {
  const meant = "ids" in target ? inArray(channels.id, target.ids) : and(filterChannels(target.filter));
  const query = db
    .select(COLUMNS)
    .from(channels)
    .where(meant)
    .orderBy(channels.id)
    .limit(BULK_ROWS_MAX + 1);
  const rows = await (lock ? query.for("update") : query);
  if (rows.length > BULK_ROWS_MAX) throw new AppError("invalid", "bulkTooMany", { max: BULK_ROWS_MAX });
  return rows;
}

function toChange(row: LockedRow, { before, after }: Extract<BulkStep, { kind: "change" }>): BulkBefore {
  const info = row.status === CHANNEL_STATUS.autoDisabled ? row.info : {};
  return { id: row.id, name: row.name, before, after, info };
}
