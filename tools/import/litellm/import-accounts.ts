import { openAccounts } from "@/lib/billing/opening-ledger";
import { nowSeconds } from "@/lib/clock";
import { convertRows, leaveOut, noteChange } from "../findings";
import { takeIds } from "../lookup-queries";
import type { Source, SourceRow } from "../types";
import { otherNames, textOf } from "../values";
import { type Amounts, convertAccount, type LitellmAccount } from "./convert-account";
import { listOf, partsOf, TABLES } from "./tables";
import { numberOf, type Work } from "./work";

const COLUMNS = [
  "user_alias",
  "user_email",
  "user_role",
  "team_alias",
  "spend",
  "max_budget",
  "budget_duration",
  "rpm_limit",
  "tpm_limit",
  "max_parallel_requests",
  "models",
  "model_max_budget",
  "blocked",
];

/** The models of users and teams that have a list, by identity. */
export type ModelsOfOwners = Map<string, readonly string[]>;

export async function importAccounts(at: Work, database: Source | null, amounts: Amounts): Promise<ModelsOfOwners> {
  const models: ModelsOfOwners = new Map();
  for (const kind of ["user", "team"] as const) {
    const key = `${kind}_id`;
    for await (const rows of partsOf(database, TABLES[kind], key, [key, ...COLUMNS])) {
      at.findings.read += rows.length;
      for (const row of rows) keepModels(models, `${kind}:${textOf(row, key)}`, row);
      const nameOf = (row: SourceRow) => `${kind} ${textOf(row, key)}`;
      await addAccounts(
        { ...at, lookups: at.newLookups() },
        convertRows(rows, at.findings, (row) => convertAccount(row, kind, amounts, at.findings), nameOf),
      );
    }
  }
  return models;
}

function keepModels(models: ModelsOfOwners, identity: string, row: SourceRow): void {
  const list = listOf(row, "models");
  if (list.length > 0) models.set(identity, list);
}

/** Adds those that are not here yet. Returns nothing for those whose name is taken. */
export async function addAccounts(at: Work, accounts: readonly LitellmAccount[]): Promise<void> {
  const { lookups, onCollision } = at;
  const here = await lookups.newIds(
    "users",
    accounts.map(({ identity }) => numberOf(identity)),
  );
  const added = accounts.filter(({ identity }) => !here.has(numberOf(identity)));
  const names = added.flatMap(({ username }) => namesOf(username, onCollision));
  await lookups.load(
    "username",
    names.map((name) => name.toLowerCase()),
  );
  await lookups.load(
    "email",
    added.flatMap(({ email }) => email ?? []),
  );
  await write(
    at,
    added.flatMap((account) => claimAll(at, account)),
  );
}

const namesOf = (username: string, onCollision: Work["onCollision"]): string[] =>
  onCollision === "rename" ? [username, ...otherNames(username)] : [username];

function claimAll({ lookups, findings, onCollision }: Work, account: LitellmAccount): LitellmAccount[] {
  const username = namesOf(account.username, onCollision).find(
    (name) => !lookups.isTaken("username", name.toLowerCase()),
  );
  if (username === undefined) {
    leaveOut(findings, "the user name is taken here (capital letters make no difference)", account.username);
    return [];
  }
  lookups.claim("username", username.toLowerCase());
  if (username !== account.username)
    noteChange(findings, "the user name is taken here: got another one", `${account.username} → ${username}`);
  if (account.email === null) return [{ ...account, username }];
  const isFree = !lookups.isTaken("email", account.email);
  if (isFree) lookups.claim("email", account.email);
  else noteChange(findings, "the e-mail address is taken here: left out", username);
  return [{ ...account, username, email: isFree ? account.email : null }];
}

async function write(
  { ctx, lookups, findings, sourceId, dryRun }: Work,
  accounts: readonly LitellmAccount[],
): Promise<void> {
  findings.moved += accounts.length;
  const ids = dryRun ? accounts.map(() => 0) : await takeIds(ctx.db, "users", accounts.length);
  await lookups.remember(
    "users",
    accounts.map(({ identity }, index) => [numberOf(identity), ids[index] ?? 0] as const),
  );
  if (dryRun) return;
  await openAccounts(
    ctx.db,
    accounts.map(({ identity, username, email, columns, ...amounts }, index) => ({
      ...amounts,
      id: ids[index] ?? 0,
      requestCount: 0,
      reference: `import:${sourceId}:${identity}`,
      columns: { ...columns, username, email, created_at: nowSeconds() },
    })),
  );
}
