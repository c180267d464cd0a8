import { eq, max, sql } from "drizzle-orm";
import { ZodError } from "zod";
import type { Database } from "@/db/client";
import { options, optionVersions } from "@/db/schema";
import { writeAudit } from "@/lib/audit/commands";
import { parseObject } from "@/lib/audit/difference";
import { nowSeconds } from "@/lib/clock";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { seal, unseal } from "@/lib/crypto";
import { AppError } from "@/lib/errors";
import { logger } from "@/lib/logger";
import { requireProofOfSession } from "@/lib/proof";
import { mergeTexts } from "@/lib/seen";
import { checkOptionText } from "./check";
import { hintsOf } from "./definition";
import { isRecorded, type PriceOrigin, priceOrigin, recordPrices } from "./price-record-commands";
import { isSecret, loadOptions, readOptionTexts } from "./queries";
import { definitionOf, isOptionKey, type OptionKey, parseOption } from "./registry";
import type { OptionChange, OptionControl } from "./types";

/** Longer texts are stored in full only in the option's history; the audit log has their beginning. */
const AUDIT_TEXT_MAX = 2_000;

/** `text` is what is stored now, defaults included; null for a secret, or where nothing was saved. */
export type OptionResult = { key: string; error: AppError | null; text: string | null };

/**
 * Sets one option (root only). The text is validated before anything is written; an empty text for a secret means
 * "unchanged". Throws invalid for an unknown key, an invalid text, or a missing precondition.
 */
export async function setOption(ctx: ServiceContext, key: string, text: string): Promise<void> {
  await changeOption(ctx, { key, value: text }, priceOrigin("wire"));
}

/** Restores the built-in model ratios by removing those the operator set (contract §1.8). */
export async function resetModelRatio(ctx: ServiceContext): Promise<void> {
  await changeOption(ctx, { key: "ModelRatio", value: null }, priceOrigin("wire"));
}

/**
 * Saves several options independently: a refused one does not block the others (A131). Switches that are turned on come
 * last, so that the options they need can be saved with them.
 */
export async function saveOptions(ctx: ServiceContext, changes: readonly OptionChange[]): Promise<OptionResult[]> {
  requireRole(ctx, ROLE.root);
  for (const { key } of changes) requireProofFor(ctx, key);
  const results: OptionResult[] = [];
  const origin = priceOrigin("editor");
  const ordered = changes.toSorted((one, other) => Number(one.value === "true") - Number(other.value === "true"));
  for (const change of ordered) {
    const { key } = change;
    results.push(
      await changeOption(ctx, change, origin).then(
        (text) => ({ key, error: null, text }),
        (error) => ({ key, error: toAppError(error), text: null }),
      ),
    );
  }
  return results;
}

/**
 * Changes options that belong together, all or none, while nobody else can change any of them (root only). `plan` sees
 * their texts, defaults included, and says what to save; what it throws ends the call with nothing written. `origin` is
 * noted with every price that changes.
 */
export async function changeOptionsTogether<Key extends OptionKey>(
  ctx: ServiceContext,
  keys: readonly Key[],
  plan: (
    texts: Readonly<Record<Key, string>>,
    tx: Database,
  ) => readonly OptionChange[] | Promise<readonly OptionChange[]>,
  origin: PriceOrigin,
): Promise<void> {
  requireRole(ctx, ROLE.root);
  await ctx.db.transaction(async (tx) => {
    // Always in the same order, so that two calls never wait for each other.
    for (const key of keys.toSorted()) await lockOption(tx, key);
    const changes = await plan(await readOptionTexts(tx, keys), tx);
    for (const change of changes) await changeOption({ ...ctx, db: tx }, change, origin);
  });
}

/**
 * Restores an option to one of its versions. This creates a new version and is validated like any other change. Throws
 * not_found for an unknown version, and conflict where somebody else has changed the option since `newest`.
 */
export async function revertOption(ctx: ServiceContext, versionId: number, newest?: number): Promise<void> {
  requireRole(ctx, ROLE.root);
  const [version] = await ctx.db.select().from(optionVersions).where(eq(optionVersions.id, versionId));
  if (!version) throw new AppError("not_found", "optionVersionNotFound");
  const value = version.sealed && version.after !== null ? unseal(version.after) : version.after;
  // A secret that was empty is restored by removing the current one.
  const change = { key: version.key, value: value === "" && version.sealed ? null : value };
  await ctx.db.transaction(async (tx) => {
    if (isOptionKey(version.key)) await lockOption(tx, version.key);
    const [last] = await tx
      .select({ id: max(optionVersions.id) })
      .from(optionVersions)
      .where(eq(optionVersions.key, version.key));
    if (newest !== undefined && last?.id !== newest) {
      throw new AppError("conflict", "optionHistoryOld", { key: version.key });
    }
    await changeOption({ ...ctx, db: tx }, change, priceOrigin("restore"));
  });
}

/**
 * Applies one change in its own transaction and returns the text that is stored then; null for a secret. `value` null removes what
 * was set. `base` is the text the editor started from: if another user has saved since, the entries of a JSON object that only one of
 * them changed are brought together, and else nothing is written (conflict with both texts).
 */
async function changeOption(
  ctx: ServiceContext,
  { key, value, base }: OptionChange,
  origin: PriceOrigin,
): Promise<string | null> {
  requireRole(ctx, ROLE.root);
  if (!isOptionKey(key)) throw new AppError("invalid", "optionUnknown", { key });
  if (isSecret(key) && value === "") return null;
  requireProofFor(ctx, key);
  const given = value === null ? null : normalize(key, value);
  const standard = definitionOf(key).default;
  return ctx.db.transaction(async (tx) => {
    await lockOption(tx, key);
    const current = await readText(tx, key);
    const shown = current ?? standard;
    const isStale = base !== undefined && !isSecret(key) && base !== shown;
    const next = isStale ? bringTogether(key, { base, shown, given }) : given;
    const after = next ?? standard;
    if (current !== next) {
      await assertPreconditions(tx, key, after);
      await writeOption(tx, ctx, key, { current, next });
      if (isRecorded(key)) await recordPrices(tx, ctx, origin, { key, before: shown, after });
    }
    return isSecret(key) ? null : after;
  });
}

/** The text to store where another user has saved since the editor began. Throws conflict when both changed the same. */
function bringTogether(key: OptionKey, texts: { base: string; shown: string; given: string | null }): string | null {
  const standard = definitionOf(key).default;
  const { base, shown, given } = texts;
  const merged = mergeTexts(base, shown, given ?? standard);
  if (merged) return given === null && merged.text === standard ? null : normalize(key, merged.text);
  const error = new AppError("conflict", "optionChanged", { key });
  error.clashes = [{ field: key, seen: base, stored: shown }];
  throw error;
}

/** Serializes changes of an option, even when it has no row to lock yet. */
async function lockOption(tx: Database, key: OptionKey): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`option:${key}`}, 0))`);
}

/** A borrowed browser must not redirect secrets, links, sign-ins or payments. */
function requireProofFor(ctx: ServiceContext, key: string): void {
  if (isOptionKey(key) && definitionOf(key).delicate) requireProofOfSession(ctx);
}

/** The stored form of a text: addresses without trailing slash, lines and numbers without surrounding blanks. */
function normalize(key: OptionKey, text: string): string {
  const value = checkOption(key, text);
  if (typeof value === "number") return text.trim();
  return typeof value === "string" ? value : text;
}

function checkOption(key: OptionKey, text: string): unknown {
  checkEntries(key, text);
  try {
    return parseOption(key, text);
  } catch (error) {
    if (!(error instanceof ZodError)) throw error;
    throw new AppError("invalid", reasonOf(key, error), { key }, error);
  }
}

/** The messages for an entry of a list, which name its line. */
const ENTRY_REASONS = {
  origin: "optionNotOrigin",
  domain: "optionNotDomain",
  pattern: "optionNotPattern",
  word: "optionNotChoice",
} as const;

/** What only a text that is saved must fit, and not a stored one. Throws invalid, for the first entry of a list that is none. */
function checkEntries(key: OptionKey, text: string): void {
  const issue = checkOptionText({ choices: [], ...hintsOf(definitionOf(key)) }, text);
  if (issue?.reason === "site") throw new AppError("invalid", "optionNotSite", { key });
  if (!issue || !("line" in issue)) return;
  throw new AppError("invalid", ENTRY_REASONS[issue.reason], { key, line: issue.line, text: issue.text });
}

const SHAPE_REASONS: Partial<Record<OptionControl, string>> = {
  tokenMap: "optionNotTokens",
  versionMap: "optionNotVersions",
  safetyMap: "optionNotThresholds",
  headerMap: "optionNotHeaders",
  modelRules: "optionNotModelRules",
};

function reasonOf(key: OptionKey, error: ZodError): string {
  const reason = error.issues[0]?.message;
  if (reason === "json") return "optionNotJson";
  if (reason === "script") return "optionNotLink";
  return SHAPE_REASONS[hintsOf(definitionOf(key)).control] ?? "optionInvalid";
}

async function assertPreconditions(tx: Database, key: OptionKey, text: string): Promise<void> {
  const { needs, requires, default: standard } = definitionOf(key);
  // What goes back to its default needs nothing.
  const needed = text === "true" ? needs : text === "" || text === standard ? undefined : requires;
  if (needed === undefined || !isOptionKey(needed)) return;
  const current = await loadOptions(tx);
  if (current[needed] !== "") return;
  if (needed === "ServerAddress") throw new AppError("invalid", "serverAddressMissing");
  throw new AppError("invalid", "optionNeeds", { key, needed });
}

async function readText(tx: Database, key: OptionKey): Promise<string | null> {
  const [row] = await tx.select().from(options).where(eq(options.key, key)).for("update");
  if (!row) return null;
  return row.sealed ? unseal(row.value) : row.value;
}

type Step = { current: string | null; next: string | null };

async function writeOption(tx: Database, ctx: ServiceContext, key: OptionKey, step: Step): Promise<void> {
  const sealed = isSecret(key);
  const stored = (text: string | null) => (sealed && text !== null ? seal(text) : text);
  const before = stored(step.current);
  const after = stored(step.next);
  if (after === null) await tx.delete(options).where(eq(options.key, key));
  else {
    await tx
      .insert(options)
      .values({ key, value: after, sealed })
      .onConflictDoUpdate({ target: options.key, set: { value: after, sealed, updatedAt: nowSeconds() } });
  }
  await tx.insert(optionVersions).values({
    key,
    before,
    after,
    sealed,
    actorId: ctx.actor.type === "user" ? ctx.actor.id : null,
    clientIp: ctx.clientIp,
  });
  await writeAudit(tx, ctx, {
    action: step.next === null ? "option.reset" : "option.set",
    subject: `option:${key}`,
    ...(sealed ? { before: { secret: true }, after: { secret: true } } : auditOf(key, step)),
  });
}

/** For JSON objects the entries that differ, for everything else the (shortened) text. */
function auditOf(key: OptionKey, step: Step): { before: unknown; after: unknown } {
  const before = step.current ?? definitionOf(key).default;
  const after = step.next ?? definitionOf(key).default;
  const [left, right] = [parseObject(before), parseObject(after)];
  if (!left || !right) return { before: { value: shorten(before) }, after: { value: shorten(after) } };
  const differs = (name: string) => JSON.stringify(left[name]) !== JSON.stringify(right[name]);
  const pick = (map: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(map).filter(([name]) => differs(name)));
  return { before: pick(left), after: pick(right) };
}

function shorten(text: string): string {
  return text.length > AUDIT_TEXT_MAX ? `${text.slice(0, AUDIT_TEXT_MAX)}…` : text;
}

function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  logger.error({ err: error }, "an option could not be saved");
  return new AppError("internal", "internal", {}, error);
}
