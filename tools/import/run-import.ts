import { isUniqueViolation } from "@/db/sql-state";
import { beginOpening } from "@/lib/billing/opening-ledger";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { changeOptionsTogether } from "@/lib/option/commands";
import { priceOrigin } from "@/lib/option/price-record-commands";
import { loadOptions } from "@/lib/option/queries";
import { parseOption } from "@/lib/option/registry";
import { rollUpUsage } from "@/lib/statistics/rollup-commands";
import { type DryTables, openDryTables } from "./dry-run-commands";
import { describeExtras, type Extras } from "./extras";
import { addFindings, type Findings, noFindings, noteChange } from "./findings";
import { fingerprintOf } from "./fingerprint";
import { assertSameUnit, importOptions } from "./import-options";
import { type KnownMonths, makeMonths } from "./log-commands";
import { createKnownOwners, type KnownOwners } from "./log-owners";
import { type LookAt, lookAtImport, modelsAtDefault, ONE_API_DEFAULT_RATIO } from "./look-at";
import { listImportedChannels } from "./look-at-queries";
import { createLookups } from "./lookup-queries";
import {
  createSource,
  findPosition,
  findSource,
  type ImportedSource,
  isFresh,
  movePosition,
  type Position,
} from "./progress-commands";
import type { Step, StepContext } from "./step";
import { channels } from "./steps/channels";
import { factors } from "./steps/factors";
import { logs } from "./steps/logs";
import { redemptions } from "./steps/redemptions";
import { tokens } from "./steps/tokens";
import { topups } from "./steps/topups";
import { users } from "./steps/users";
import type { ImportSettings, Kind, Source, SourceRow } from "./types";
import { secondsOf, textOf, wholeOf } from "./values";

const STEPS: readonly Step[] = [users, factors, tokens, channels, redemptions, topups, logs];
/** Somebody registered a name between the look and the write: the batch is looked at again. */
const TRIES = 3;

export type ImportReport = {
  system: string;
  dryRun: boolean;
  /** Nobody had used this Weir before the first import of the source. */
  intoFresh: boolean;
  isFirst: boolean;
  kinds: Partial<Record<Kind, Findings>>;
  extras: Extras;
  /** What an operator should look at now; null in a dry run, which has no channels and keys to look at. */
  lookAt: LookAt[] | null;
};

type KnownSource = ImportedSource & { isFirst: boolean };

type Run = {
  ctx: ServiceContext;
  source: Source;
  settings: ImportSettings;
  known: KnownSource;
  options: ReadonlyMap<string, string>;
  dry: DryTables | null;
  owners: KnownOwners;
  months: KnownMonths;
};

/**
 * Imports what another system's database holds. Every batch is one transaction with the position it leads to, so a killed
 * import goes on where it was, and one that is run again only brings what is new there. A dry run writes nothing.
 */
export async function runImport(ctx: ServiceContext, source: Source, settings: ImportSettings): Promise<ImportReport> {
  requireRole(ctx, ROLE.root);
  for (const table of ["users", "tokens", "channels"])
    if (!source.tables.has(table))
      throw new Error(`There is no table ${table}: this is no database of ${settings.system}.`);
  const run: Run = {
    ctx,
    source,
    settings,
    known: await knowSource(ctx, source, settings),
    options: await readOptions(source),
    dry: settings.dryRun ? await openDryTables(ctx.sql) : null,
    owners: createKnownOwners(),
    months: new Set(),
  };
  const kinds = await runAll(run).finally(() => run.dry?.close());
  if (!settings.dryRun) await sumForCharts(run);
  if (!settings.dryRun && settings.takesDefaultRatio) await takeDefaultRatio(run, kinds.options);
  return {
    system: settings.system,
    dryRun: settings.dryRun,
    intoFresh: run.known.intoFresh,
    isFirst: run.known.isFirst,
    kinds,
    extras: await describeExtras(source, STEPS, settings.withLogs),
    lookAt: settings.dryRun ? null : await lookAt(run, kinds),
  };
}

async function lookAt({ ctx, settings, known, options }: Run, kinds: ImportReport["kinds"]): Promise<LookAt[]> {
  const imported = { system: settings.system, sourceId: known.id, kinds, options };
  return lookAtImport(ctx.sql, await loadOptions(ctx.db), imported);
}

/** Models that one-api charged at its default ratio get that as their ratio, where nobody has set another price. */
async function takeDefaultRatio({ ctx, known, options }: Run, findings = noFindings()): Promise<void> {
  const models = modelsAtDefault(await listImportedChannels(ctx.sql, known.id), options);
  await changeOptionsTogether(
    ctx,
    ["ModelRatio", "ModelPrice"],
    (texts) => {
      const ratios = parseOption("ModelRatio", texts.ModelRatio);
      const prices = parseOption("ModelPrice", texts.ModelPrice);
      const taken = models.filter((model) => !Object.hasOwn(ratios, model) && !Object.hasOwn(prices, model));
      for (const model of taken) noteChange(findings, `ModelRatio: ${ONE_API_DEFAULT_RATIO}, one-api's default`, model);
      const added = Object.fromEntries(taken.map((model) => [model, ONE_API_DEFAULT_RATIO]));
      return taken.length === 0 ? [] : [{ key: "ModelRatio", value: JSON.stringify({ ...ratios, ...added }) }];
    },
    priceOrigin("list"),
  );
}

/** Figures are right before, too, but charts over the whole time slow. Cut off, the worker's job goes on with it. */
async function sumForCharts({ ctx, settings }: Run): Promise<void> {
  let total = 0;
  for (let hours = await rollUpUsage(ctx.sql); hours > 0; hours = await rollUpUsage(ctx.sql)) {
    total += hours;
    settings.onSums?.(total);
  }
}

async function runAll(run: Run): Promise<ImportReport["kinds"]> {
  const kinds: ImportReport["kinds"] = { options: await runOptions(run) };
  for (const step of STEPS) {
    if (step.kind === "logs" && !run.settings.withLogs) continue;
    if (run.source.tables.has(step.table)) kinds[step.kind] = await runStep(run, step);
  }
  return kinds;
}

/** A dry run notes no source; its id is none. */
async function knowSource(
  ctx: ServiceContext,
  source: Source,
  { system, dryRun }: ImportSettings,
): Promise<KnownSource> {
  const fingerprint = await fingerprintOf(source);
  const known = await findSource(ctx.db, system, fingerprint);
  if (known) return { ...known, isFirst: false };
  const intoFresh = await isFresh(ctx.db);
  const made = dryRun ? { id: 0, intoFresh } : await createSource(ctx.db, system, fingerprint, intoFresh);
  return { ...made, isFirst: true };
}

async function readOptions(source: Source): Promise<Map<string, string>> {
  if (!source.tables.has("options")) return new Map();
  const rows = await source.all("options", ["key", "value"]);
  return new Map(rows.map((row) => [textOf(row, "key"), textOf(row, "value")]));
}

async function runOptions({ ctx, settings, known, options, dry, owners }: Run): Promise<Findings> {
  const findings = noFindings();
  const at: StepContext = {
    ctx,
    lookups: createLookups(ctx.db, known.id, dry),
    findings,
    settings,
    sourceId: known.id,
    known: owners,
    options,
  };
  const done = await findPosition(ctx.db, known.id, "options");
  // What an operator has changed here since stays.
  const wanted = settings.withOptions || (known.intoFresh && !done);
  if (!wanted) await assertSameUnit(at, false);
  await importOptions(at, wanted);
  if (wanted) await assertSameUnit(at, true);
  if (settings.dryRun || done) return findings;
  await ctx.db.transaction(async (tx) => {
    await movePosition(tx, known.id, "options", { from: null, lastId: options.size, findings });
    await beginOpening(tx);
  });
  return findings;
}

async function runStep(run: Run, step: Step): Promise<Findings> {
  const found = await findPosition(run.ctx.db, run.known.id, step.kind);
  let position: Position & { from: number | null } = found
    ? { ...found, from: found.lastId }
    : { lastId: 0, findings: noFindings(), from: null };
  for (;;) {
    const page = { key: step.key, after: position.lastId, limit: step.batch };
    const rows = await run.source.page(step.table, step.columns, page);
    if (rows.length === 0) return position.findings;
    const lastId = wholeOf(rows.at(-1) ?? {}, step.key);
    if (lastId === null) throw new Error(`${step.table}.${step.key} is beyond 9007199254740991 or no number`);
    if (step.kind === "logs" && !run.settings.dryRun)
      await makeMonths(
        run.ctx.sql,
        rows.map((row) => secondsOf(row, "created_at")).filter((time) => time > 0),
        run.months,
      );
    const findings = await runBatch(run, step, { rows, lastId, position });
    position = { lastId, findings, from: lastId };
    if (step.kind === "logs" && !run.settings.dryRun) await run.settings.afterLogs?.(rows.length);
    run.settings.onProgress(step.kind, findings);
  }
}

type Batch = { rows: readonly SourceRow[]; lastId: number; position: Position & { from: number | null } };

/** Returns what is found in all batches so far. */
async function runBatch(run: Run, step: Step, { rows, lastId, position }: Batch): Promise<Findings> {
  const { settings, options, known, dry, owners } = run;
  const once = async (ctx: ServiceContext): Promise<Findings> => {
    const findings = noFindings();
    findings.read = rows.length;
    const lookups = createLookups(ctx.db, known.id, dry);
    await step.run(rows, { ctx, lookups, findings, settings, sourceId: known.id, known: owners, options });
    const total = structuredClone(position.findings);
    addFindings(total, findings);
    return total;
  };
  if (settings.dryRun) return once(run.ctx);
  for (let attempt = 1; ; attempt++) {
    try {
      return await run.ctx.db.transaction(async (tx) => {
        const total = await once({ ...run.ctx, db: tx });
        await movePosition(tx, known.id, step.kind, { from: position.from, lastId, findings: total });
        return total;
      });
    } catch (error) {
      if (attempt === TRIES || !isUniqueViolation(error)) throw withoutRows(step, position.lastId, error);
    }
  }
}

/** The database layer's message has the values of the rows, and so hashes and keys. */
function withoutRows({ table }: Step, lastId: number, error: unknown): unknown {
  if (!(error instanceof Error && error.cause instanceof Error)) return error;
  return new Error(`The rows of ${table} after id ${lastId} could not be written: ${error.cause.message}`);
}
