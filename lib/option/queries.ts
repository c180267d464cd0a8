import { and, desc, eq, lt } from "drizzle-orm";
import type { Database } from "@/db/client";
import { options, optionVersions, users } from "@/db/schema";
import { diffTexts } from "@/lib/audit/difference";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { unseal } from "@/lib/crypto";
import { AppError } from "@/lib/errors";
import { logger } from "@/lib/logger";
import { hintsOf } from "./definition";
import {
  defaultOptions,
  definitionOf,
  isOptionKey,
  type OptionKey,
  type OptionValues,
  optionKeys,
  parseOption,
} from "./registry";
import type { OptionVersion, OptionView } from "./types";

const VERSIONS_PER_PAGE = 10;

/**
 * The current value of every option. A stored text that is no longer valid is logged and the default is used, so that
 * one bad row cannot keep a process from starting.
 */
export async function loadOptions(db: Database): Promise<OptionValues> {
  const values = defaultOptions();
  for (const [key, text] of await readStored(db)) {
    try {
      Object.assign(values, { [key]: parseOption(key, text) });
    } catch (error) {
      logger.error(
        { key, error: error instanceof Error ? error.name : "unknown" },
        "stored option does not fit its schema",
      );
    }
  }
  return values;
}

/** Key and text of every readable option, defaults included, secrets excluded (contract §3.1). */
export async function listReadableOptions(ctx: ServiceContext): Promise<{ key: OptionKey; value: string }[]> {
  requireRole(ctx, ROLE.root);
  const stored = await readStored(ctx.db);
  return optionKeys()
    .filter((key) => !isSecret(key))
    .map((key) => ({ key, value: stored.get(key) ?? definitionOf(key).default }));
}

/** The texts of some options, defaults included. Secrets are refused: their texts leave this folder nowhere. */
export async function readOptionTexts<Key extends OptionKey>(
  db: Database,
  keys: readonly Key[],
): Promise<Record<Key, string>> {
  if (keys.some(isSecret)) throw new Error("a secret has no text for others");
  const stored = await readStored(db);
  const texts = keys.map((key) => [key, stored.get(key) ?? definitionOf(key).default]);
  return Object.fromEntries(texts) as Record<Key, string>;
}

/** Every option with a card, for the settings page (root only). Secrets have no value. */
export async function listOptionViews(ctx: ServiceContext): Promise<OptionView[]> {
  requireRole(ctx, ROLE.root);
  const stored = await readStored(ctx.db);
  return optionKeys().flatMap((key) => {
    const definition = definitionOf(key);
    if (!definition.card) return [];
    const { choices = [], control, min, max, integer } = hintsOf(definition);
    const text = stored.get(key);
    const secret = isSecret(key);
    return {
      key,
      card: definition.card,
      control,
      choices,
      ...(min === undefined ? {} : { min }),
      ...(max === undefined ? {} : { max }),
      ...(integer === undefined ? {} : { integer }),
      unit: definition.unit ?? null,
      requires: definition.requires ?? null,
      running: definition.running,
      isPending: definition.pending !== undefined,
      secret,
      value: secret ? "" : (text ?? definition.default),
      default: definition.default,
      isSet: secret ? (text ?? "") !== "" : text !== undefined,
    };
  });
}

/** The versions of an option, newest first (root only). `next` is the cursor of the next page. */
export async function listOptionVersions(
  ctx: ServiceContext,
  key: string,
  before: number | null = null,
): Promise<{ items: OptionVersion[]; next: number | null }> {
  requireRole(ctx, ROLE.root);
  if (!isOptionKey(key)) throw new AppError("invalid", "optionUnknown", { key });
  const rows = await ctx.db
    .select({ version: optionVersions, actorName: users.username })
    .from(optionVersions)
    .leftJoin(users, eq(users.id, optionVersions.actorId))
    .where(and(eq(optionVersions.key, key), before === null ? undefined : lt(optionVersions.id, before)))
    .orderBy(desc(optionVersions.id))
    .limit(VERSIONS_PER_PAGE + 1);
  const items = rows.slice(0, VERSIONS_PER_PAGE).map(({ version, actorName }) => toVersion(key, version, actorName));
  return { items, next: rows.length > VERSIONS_PER_PAGE ? (items.at(-1)?.id ?? null) : null };
}

type VersionRow = typeof optionVersions.$inferSelect;

function toVersion(key: OptionKey, row: VersionRow, actorName: string | null): OptionVersion {
  const { default: builtIn } = definitionOf(key);
  const secret = row.sealed || isSecret(key);
  return {
    id: row.id,
    key,
    actorId: row.actorId,
    actorName: actorName ?? "",
    clientIp: row.clientIp,
    createdAt: row.createdAt,
    secret,
    toDefault: row.after === null,
    difference: secret ? null : diffTexts(row.before ?? builtIn, row.after ?? builtIn),
  };
}

export function isSecret(key: OptionKey): boolean {
  return definitionOf(key).secret === true;
}

/** Whether the text is the key of a secret option. */
export function isSecretKey(key: string): boolean {
  return isOptionKey(key) && isSecret(key);
}

async function readStored(db: Database): Promise<Map<OptionKey, string>> {
  const rows = await db.select().from(options);
  const stored = new Map<OptionKey, string>();
  for (const row of rows) {
    if (isOptionKey(row.key)) stored.set(row.key, row.sealed ? unseal(row.value) : row.value);
  }
  return stored;
}
