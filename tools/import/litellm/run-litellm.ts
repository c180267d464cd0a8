import { beginOpening } from "@/lib/billing/opening-ledger";
import { createChannels } from "@/lib/channel/commands";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { sha256Hex } from "@/lib/crypto";
import { AppError } from "@/lib/errors";
import { englishText } from "@/lib/i18n/english-text";
import { loadOptions } from "@/lib/option/queries";
import { type DryTables, openDryTables } from "../dry-run-commands";
import { addFindings, leaveOut, noFindings } from "../findings";
import { lookAtImport } from "../look-at";
import { createLookups } from "../lookup-queries";
import {
  announceSource,
  createSource,
  findPosition,
  findSource,
  type ImportedSource,
  isFresh,
  movePosition,
} from "../progress-commands";
import type { ImportReport } from "../run-import";
import type { Kind, OnCollision, Source } from "../types";
import { importAccounts, type ModelsOfOwners } from "./import-accounts";
import { importKeys } from "./import-keys";
import { importPrices } from "./import-prices";
import { type LitellmConfig, planChannels } from "./read-config";
import { type WithStored, withStoredModels } from "./stored-models";
import { TABLES } from "./tables";
import { numberOf, type Work } from "./work";

export type LitellmSource = {
  config: LitellmConfig;
  database: Source | null;
  environment: Readonly<Record<string, string | undefined>>;
};

/** With what was added in LiteLLM's console. */
type Readable = LitellmSource & WithStored;

export type LitellmSettings = {
  dryRun: boolean;
  onCollision: OnCollision;
  /** Dollars that each account begins with that has no budget in all there. */
  balance: number;
};

/**
 * Imports models as channels and prices, users and teams as accounts, and keys; in one transaction, so that one that is cut off has
 * done nothing. Run again, it brings what is new.
 */
export async function runLitellm(
  ctx: ServiceContext,
  given: LitellmSource,
  settings: LitellmSettings,
): Promise<ImportReport> {
  requireRole(ctx, ROLE.root);
  const masterKey = masterKeyOf(given);
  const fingerprint = sha256Hex(`litellm:${masterKey}`);
  const stored = await withStoredModels(given.config, given.database, given.environment.LITELLM_SALT_KEY || masterKey);
  const source: Readable = { ...given, ...stored };
  const known = await findSource(ctx.db, "litellm", fingerprint);
  let sourceId = known?.id ?? 0;
  const intoFresh = known?.intoFresh ?? (await isFresh(ctx.db));
  const kinds = settings.dryRun
    ? await tryAll(ctx, source, settings, known)
    : await ctx.db.transaction(async (tx) => {
        const { id } = known ?? (await createSource(tx, "litellm", fingerprint, intoFresh));
        sourceId = id;
        if (!known) await beginOpening(tx);
        const done = await importAll({ ctx: { ...ctx, db: tx }, source, settings, sourceId: id, dry: null });
        await announceSource(tx);
        return done;
      });
  return {
    system: "litellm",
    dryRun: settings.dryRun,
    intoFresh,
    isFirst: known === null,
    kinds,
    extras: await describeRest(source),
    lookAt: settings.dryRun
      ? null
      : await lookAtImport(ctx.sql, await loadOptions(ctx.db), {
          system: "litellm",
          sourceId,
          kinds,
          options: new Map(),
        }),
  };
}

/** Tells one LiteLLM from another; most name the same variable. */
function masterKeyOf({ config, environment }: LitellmSource): string {
  const given = String(config.general_settings?.master_key ?? "");
  return environment[given.replace(/^os\.environ\//, "")] ?? given;
}

async function tryAll(
  ctx: ServiceContext,
  source: Readable,
  settings: LitellmSettings,
  known: ImportedSource | null,
): Promise<ImportReport["kinds"]> {
  const dry = await openDryTables(ctx.sql);
  try {
    return await importAll({ ctx, source, settings, sourceId: known?.id ?? 0, dry });
  } finally {
    await dry.close();
  }
}

type All = {
  ctx: ServiceContext;
  source: Readable;
  settings: LitellmSettings;
  sourceId: number;
  dry: DryTables | null;
};

async function importAll({ ctx, source, settings, sourceId, dry }: All): Promise<ImportReport["kinds"]> {
  const { config, database } = source;
  const { QuotaPerUnit: perDollar } = await loadOptions(ctx.db);
  const amounts = { perDollar, balance: Math.round(settings.balance * perDollar) };
  const kinds: ImportReport["kinds"] = {};
  const part = async <Result>(kind: Kind, work: (at: Work) => Promise<Result>): Promise<Result> => {
    const newLookups = () => createLookups(ctx.db, sourceId, dry);
    const { dryRun, onCollision } = settings;
    const at = { ctx, newLookups, lookups: newLookups(), findings: noFindings(), sourceId, dryRun, onCollision };
    const result = await work(at);
    kinds[kind] = at.findings;
    if (!dryRun) await notePosition(at, kind);
    return result;
  };
  await part("options", (at) => importPrices(at, config));
  const modelsOfOwners = await part("users", (at): Promise<ModelsOfOwners> => importAccounts(at, database, amounts));
  await part("tokens", (at) => importKeys(at, { database, config, amounts, modelsOfOwners }));
  await part("channels", (at) => importChannels(at, source));
  return kinds;
}

async function notePosition({ ctx, findings, sourceId }: Work, kind: Kind): Promise<void> {
  const before = await findPosition(ctx.db, sourceId, kind);
  const total = before ? structuredClone(before.findings) : noFindings();
  addFindings(total, findings);
  await movePosition(ctx.db, sourceId, kind, {
    from: before?.lastId ?? null,
    lastId: (before?.lastId ?? 0) + 1,
    findings: total,
  });
}

async function importChannels(
  { ctx, lookups, findings, dryRun }: Work,
  { config, environment, unread }: Readable,
): Promise<void> {
  const plans = planChannels(config, environment, findings);
  const numbers = plans.map(({ input }) =>
    numberOf(`channel:${JSON.stringify([input.type, input.baseUrl, input.key, input.models])}`),
  );
  const here = await lookups.newIds("channels", numbers);
  for (const [index, { input, limits }] of plans.entries()) {
    const number = numbers[index] ?? 0;
    if (here.has(number)) continue;
    try {
      const [made] = dryRun ? [{ id: 0 }] : await createChannels(ctx, { ...input, ...limits });
      await lookups.remember("channels", [[number, made?.id ?? 0]]);
      findings.moved += input.models.split(",").length;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      leaveOut(findings, `refused as a channel: ${englishText(error)}`, input.name);
    }
  }
  for (const name of unread) {
    findings.read++;
    leaveOut(
      findings,
      "added in LiteLLM's console, and cannot be decrypted: set LITELLM_SALT_KEY as LiteLLM has it",
      name,
    );
  }
}

async function describeRest({ config, database }: LitellmSource): Promise<ImportReport["extras"]> {
  const columns: Record<string, string[]> = {};
  for (const section of ["router_settings", "litellm_settings", "general_settings", "environment_variables"]) {
    const value = config[section];
    if (typeof value === "object" && value !== null) columns[`config.yaml, ${section}`] = Object.keys(value);
  }
  const tables: Record<string, number> = {};
  const read = new Set<string>(Object.values(TABLES));
  for (const table of [...(database?.tables.keys() ?? [])].sort()) {
    if (read.has(table) || table === "_prisma_migrations") continue;
    const count = (await database?.count(table)) ?? 0;
    if (count > 0) tables[table] = count;
  }
  return { tables, missing: [], columns };
}
