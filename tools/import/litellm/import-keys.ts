import { openKeys } from "@/lib/billing/opening-ledger";
import { nowSeconds } from "@/lib/clock";
import { USER_STATUS } from "@/lib/row-status";
import { convertRows, leaveOut, noteChange } from "../findings";
import { takeIds } from "../lookup-queries";
import type { Source, SourceRow } from "../types";
import { textOf } from "../values";
import type { Amounts } from "./convert-account";
import { convertKey, KEY_COLUMNS, type KeySettings, type LitellmKey } from "./convert-key";
import { addAccounts, type ModelsOfOwners } from "./import-accounts";
import type { LitellmConfig } from "./read-config";
import { listOf, partsOf, TABLES } from "./tables";
import { numberOf, type Work } from "./work";

/** Keys that are nobody's belong to an account of this name. */
const NOBODY = "litellm";
const NOBODY_IDENTITY = "nobody:";

type Given = { database: Source | null; config: LitellmConfig; amounts: Amounts; modelsOfOwners: ModelsOfOwners };

/** Keys go on working: LiteLLM has the SHA-256 of each, from which the hash is made that Weir looks up. */
export async function importKeys(at: Work, { database, config, amounts, modelsOfOwners }: Given): Promise<void> {
  const settings: KeySettings = {
    perDollar: amounts.perDollar,
    budgets: await readBudgets(database),
    modelsOfOwners,
    accessGroups: accessGroupsOf(config),
    now: nowSeconds(),
  };
  for await (const rows of partsOf(database, TABLES.key, "token", KEY_COLUMNS)) {
    at.findings.read += rows.length;
    const nameOf = (row: SourceRow) => textOf(row, "key_alias") || textOf(row, "key_name") || "(no alias)";
    const keys = convertRows(rows, at.findings, (row) => convertKey(row, settings, at.findings), nameOf);
    await addKeys({ ...at, lookups: at.newLookups() }, keys, amounts);
  }
}

async function readBudgets(database: Source | null): Promise<Map<string, SourceRow>> {
  const budgets = new Map<string, SourceRow>();
  const columns = ["budget_id", "max_budget", "budget_duration", "rpm_limit", "tpm_limit", "max_parallel_requests"];
  for await (const rows of partsOf(database, TABLES.budget, "budget_id", columns))
    for (const row of rows) budgets.set(textOf(row, "budget_id"), row);
  return budgets;
}

function accessGroupsOf({ model_list: list }: LitellmConfig): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const { model_name: name, model_info: info } of list ?? []) {
    const given = typeof info === "object" && info !== null ? Reflect.get(info, "access_groups") : [];
    for (const group of listOf({ groups: given } as SourceRow, "groups"))
      groups.set(group, [...(groups.get(group) ?? []), name]);
  }
  return groups;
}

async function addKeys(at: Work, keys: readonly LitellmKey[], amounts: Amounts): Promise<void> {
  const { ctx, lookups, findings, dryRun } = at;
  const here = await lookups.newIds(
    "tokens",
    keys.map(({ identity }) => numberOf(identity)),
  );
  const added = keys.filter(({ identity }) => !here.has(numberOf(identity)));
  await lookups.load(
    "keyHash",
    added.map(({ keyHash }) => keyHash),
  );
  const owners = await findOwners(at, added, amounts);
  const moving = added.flatMap((key) => {
    const userId = owners.get(ownerOf(key));
    const isTaken = lookups.isTaken("keyHash", key.keyHash);
    if (userId !== undefined && !isTaken) {
      lookups.claim("keyHash", key.keyHash);
      return [{ ...key, userId }];
    }
    const owner = key.teamId === "" ? "user" : "team";
    leaveOut(findings, isTaken ? "the key is here already" : `its ${owner} was not imported`, key.example);
    return [];
  });
  findings.moved += moving.length;
  const ids = dryRun ? moving.map(() => 0) : await takeIds(ctx.db, "tokens", moving.length);
  await lookups.remember(
    "tokens",
    moving.map(({ identity }, index) => [numberOf(identity), ids[index] ?? 0] as const),
  );
  if (!dryRun)
    await openKeys(
      ctx.db,
      moving.map((key, index) => ({ ...key, id: ids[index] ?? 0 })),
    );
}

/** A team's key is charged to the team, whoever has it. */
function ownerOf({ teamId, userId }: LitellmKey): string {
  if (teamId !== "") return `team:${teamId}`;
  return userId === "" ? NOBODY_IDENTITY : `user:${userId}`;
}

/** The accounts here by identity. The one for keys of nobody is made when it is needed. */
async function findOwners(at: Work, keys: readonly LitellmKey[], amounts: Amounts): Promise<Map<string, number>> {
  const identities = [...new Set(keys.map(ownerOf))];
  if (identities.includes(NOBODY_IDENTITY)) await addNobody(at, amounts);
  const ids = await at.lookups.newIds("users", identities.map(numberOf));
  return new Map(
    identities.flatMap((identity) => {
      const id = ids.get(numberOf(identity));
      return id === undefined ? [] : [[identity, id] as const];
    }),
  );
}

async function addNobody(at: Work, { balance }: Amounts): Promise<void> {
  const columns = {
    password_hash: null,
    display_name: "LiteLLM",
    role: 1,
    status: USER_STATUS.enabled,
    group: "default",
    setting: {},
    requests_per_minute: 0,
    tokens_per_minute: 0,
    concurrency_limit: 0,
    budget_day: 0,
    budget_week: 0,
    budget_month: 0,
  };
  const before = at.findings.moved;
  const account = { identity: NOBODY_IDENTITY, username: NOBODY, email: null, quota: balance, usedQuota: 0, columns };
  await addAccounts({ ...at, onCollision: "rename" }, [account]);
  if (at.findings.moved === before) return;
  // It is counted where accounts are.
  at.findings.moved = before;
  const need = balance === 0 ? "; it needs a balance (--balance)" : "";
  noteChange(at.findings, `keys of no user and no team: under an account ${NOBODY}${need}`, NOBODY);
}
