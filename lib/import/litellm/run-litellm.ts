import { beginOpening, openAccounts } from "@/lib/billing/opening-ledger";
import { createChannels } from "@/lib/channel/commands";
import { nowSeconds } from "@/lib/clock";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { sha256Hex } from "@/lib/crypto";
import { AppError } from "@/lib/errors";
import { loadOptions } from "@/lib/option/queries";
import { addFindings, type Findings, leaveOut, noFindings, noteChange } from "../findings";
import { createDryMemory, createLookups, type Lookups, takeIds } from "../lookup-queries";
import { createSource, findPosition, findSource, isFresh, movePosition } from "../progress-commands";
import type { ImportReport } from "../run-import";
import type { Kind, Source } from "../types";
import { textOf } from "../values";
import { convertAccount, type LitellmAccount } from "./convert-account";
import { type LitellmConfig, planChannels } from "./read-config";

const TABLES = {
  user: "LiteLLM_UserTable",
  team: "LiteLLM_TeamTable",
  key: "LiteLLM_VerificationToken",
  model: "LiteLLM_ProxyModelTable",
} as const;
const ACCOUNT_COLUMNS = [
  "user_id",
  "user_alias",
  "user_email",
  "user_role",
  "team_id",
  "team_alias",
  "spend",
  "max_budget",
  "budget_duration",
  "rpm_limit",
  "tpm_limit",
  "max_parallel_requests",
  "models",
  "blocked",
];

export type LitellmSource = {
  config: LitellmConfig;
  database: Source | null;
  environment: Readonly<Record<string, string | undefined>>;
};
type Work = { ctx: ServiceContext; lookups: Lookups; findings: Findings; sourceId: number; dryRun: boolean };

/** Imports models as channels, users and teams as accounts; in one transaction. Run again, it brings what is new. */
export async function runLitellm(ctx: ServiceContext, source: LitellmSource, dryRun: boolean): Promise<ImportReport> {
  requireRole(ctx, ROLE.root);
  const fingerprint = sha256Hex(`litellm:${String(source.config.general_settings?.master_key ?? "")}`);
  const known = await findSource(ctx.db, "litellm", fingerprint);
  const intoFresh = known?.intoFresh ?? (await isFresh(ctx.db));
  const kinds: ImportReport["kinds"] = {};
  const run = async (within: ServiceContext, sourceId: number): Promise<void> => {
    const memory = dryRun ? createDryMemory() : null;
    const part = async (kind: Kind, work: (at: Work) => Promise<void>): Promise<void> => {
      const at = {
        ctx: within,
        lookups: createLookups(within.db, sourceId, memory),
        findings: noFindings(),
        sourceId,
        dryRun,
      };
      await work(at);
      kinds[kind] = at.findings;
      if (!dryRun) await notePosition(at, kind);
    };
    await part("users", (at) => importAccounts(at, source.database));
    await part("tokens", (at) => reportKeys(at, source.database));
    await part("channels", (at) => importChannels(at, source));
  };
  if (dryRun) await run(ctx, known?.id ?? 0);
  else {
    await ctx.db.transaction(async (tx) => {
      const { id } = known ?? (await createSource(tx, "litellm", fingerprint, intoFresh));
      if (!known) await beginOpening(tx);
      await run({ ...ctx, db: tx }, id);
    });
  }
  return { system: "litellm", dryRun, intoFresh, kinds, extras: await describeRest(source) };
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

/** A number for a text that names something there: 52 bits of its hash. */
function numberOf(identity: string): number {
  return Number.parseInt(sha256Hex(identity).slice(0, 13), 16);
}

async function importAccounts(at: Work, database: Source | null): Promise<void> {
  const { lookups, findings } = at;
  const { QuotaPerUnit: perDollar } = await loadOptions(at.ctx.db);
  const accounts: LitellmAccount[] = [];
  for (const kind of ["user", "team"] as const) {
    if (!database?.tables.has(TABLES[kind])) continue;
    for (const row of await database.all(TABLES[kind], ACCOUNT_COLUMNS)) {
      findings.read++;
      const account = convertAccount(row, kind, perDollar, findings);
      if (typeof account === "string") leaveOut(findings, account, kind);
      else accounts.push(account);
    }
  }
  const here = await lookups.newIds(
    "users",
    accounts.map(({ identity }) => numberOf(identity)),
  );
  const added = accounts.filter(({ identity }) => !here.has(numberOf(identity)));
  await lookups.load(
    "username",
    added.map(({ username }) => username.toLowerCase()),
  );
  await lookups.load(
    "email",
    added.flatMap(({ email }) => email ?? []),
  );
  await write(
    at,
    added.filter((account) => isFree(at, account)),
  );
}

function isFree({ lookups, findings }: Work, account: LitellmAccount): boolean {
  const name = account.username.toLowerCase();
  if (lookups.isTaken("username", name)) {
    leaveOut(findings, "the user name is taken here (capital letters make no difference)", account.username);
    return false;
  }
  lookups.claim("username", name);
  if (account.email === null) return true;
  if (lookups.isTaken("email", account.email)) {
    noteChange(findings, "the e-mail address is taken here: left out", account.username);
    account.email = null;
  } else lookups.claim("email", account.email);
  return true;
}

async function write(
  { ctx, lookups, findings, sourceId, dryRun }: Work,
  accounts: readonly LitellmAccount[],
): Promise<void> {
  findings.moved += accounts.length;
  if (dryRun) return;
  const ids = await takeIds(ctx.db, "users", accounts.length);
  await openAccounts(
    ctx.db,
    accounts.map(({ identity, username, email, columns, ...amounts }, index) => ({
      ...amounts,
      id: ids[index] ?? 0,
      requestCount: 0,
      reference: `import:${sourceId}:${identity}`,
      columns: { ...columns, username, email, role: columns.role, created_at: nowSeconds() },
    })),
  );
  await lookups.remember(
    "users",
    accounts.map(({ identity }, index) => [numberOf(identity), ids[index] ?? 0] as const),
  );
}

/** LiteLLM keeps a hash of the whole key, of a form that keys do not have here. */
async function reportKeys({ findings }: Work, database: Source | null): Promise<void> {
  if (!database?.tables.has(TABLES.key)) return;
  for (const row of await database.all(TABLES.key, ["key_alias", "key_name"])) {
    findings.read++;
    const name = textOf(row, "key_alias") || textOf(row, "key_name") || "(no alias)";
    leaveOut(findings, "only a hash of the key is there, made of another form of key: make a new key here", name);
  }
}

async function importChannels(
  { ctx, lookups, findings, dryRun }: Work,
  { config, database, environment }: LitellmSource,
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
      leaveOut(findings, `not a channel: ${error.messageKey}`, input.name);
    }
  }
  if (!database?.tables.has(TABLES.model)) return;
  for (const row of await database.all(TABLES.model, ["model_name"])) {
    findings.read++;
    leaveOut(
      findings,
      "added in LiteLLM's console: its parameters are encrypted in the database; add it to config.yaml",
      textOf(row, "model_name"),
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
