import { openEarnings } from "@/lib/affiliate/ledger";
import { openAccounts } from "@/lib/billing/opening-ledger";
import { nowSeconds } from "@/lib/clock";
import { convertUser, USER_COLUMNS, type UserDraft } from "../convert-user";
import { convertRows, leaveOut, noteChange } from "../findings";
import { takeIds, type Unique } from "../lookup-queries";
import type { Step, StepContext } from "../step";
import { otherNames } from "../values";

export const users: Step = {
  kind: "users",
  table: "users",
  key: "id",
  columns: USER_COLUMNS,
  ignored: ["stripe_customer", "last_login_at", "auth_version", "invite_rebate_eligible", "updated_at"],
  batch: 1_000,
  async run(rows, at) {
    const drafts = convertRows(
      rows,
      at.findings,
      (row) => convertUser(row, at.findings, at.options),
      (row) => `#${String(row.id)} ${String(row.username ?? "")}`,
    );
    await loadTaken(drafts, at);
    const moving = drafts.flatMap((draft) => claimAll(draft, at));
    await write(moving, at);
    at.findings.moved += moving.length;
  },
};

const namesOf = (username: string): string[] => [username, ...otherNames(username)];

async function loadTaken(drafts: readonly UserDraft[], { lookups, settings }: StepContext): Promise<void> {
  const names = drafts.flatMap(({ username }) => (settings.onCollision === "rename" ? namesOf(username) : [username]));
  await lookups.load(
    "username",
    names.map((name) => name.toLowerCase()),
  );
  await lookups.load(
    "email",
    drafts.flatMap(({ email }) => email ?? []),
  );
  await lookups.load(
    "affCode",
    drafts.flatMap(({ affCode }) => affCode ?? []),
  );
  await lookups.load(
    "accessToken",
    drafts.flatMap(({ accessTokenHash }) => accessTokenHash ?? []),
  );
  const bindings = drafts.flatMap((draft) => draft.bindings);
  for (const what of new Set(bindings.map((binding) => binding.what)))
    await lookups.load(
      what,
      bindings.filter((binding) => binding.what === what).map(({ id }) => id),
    );
}

/** The account without what is taken already; nothing if its name is. */
function claimAll(draft: UserDraft, { lookups, findings, settings }: StepContext): UserDraft[] {
  const example = `#${draft.oldId} ${draft.username}`;
  const names = settings.onCollision === "rename" ? namesOf(draft.username) : [draft.username];
  const username = names.find((name) => !lookups.isTaken("username", name.toLowerCase()));
  if (username === undefined) {
    leaveOut(findings, "the user name is taken here (capital letters make no difference)", example);
    return [];
  }
  lookups.claim("username", username.toLowerCase());
  if (username !== draft.username)
    noteChange(findings, "the user name is taken here: got another one", `${example} → ${username}`);
  const free = (what: Unique, value: string | null, told: string): boolean => {
    if (value === null) return false;
    const taken = lookups.isTaken(what, value);
    if (taken) noteChange(findings, `${told} is taken here: left out`, example);
    else lookups.claim(what, value);
    return !taken;
  };
  return [
    {
      ...draft,
      username,
      email: free("email", draft.email, "the e-mail address") ? draft.email : null,
      affCode: free("affCode", draft.affCode, "the invitation code") ? draft.affCode : null,
      accessTokenHash: free("accessToken", draft.accessTokenHash, "the system access token")
        ? draft.accessTokenHash
        : null,
      bindings: draft.bindings.filter(({ what, id }) => free(what, id, `the sign-in binding (${what})`)),
    },
  ];
}

async function write(drafts: readonly UserDraft[], at: StepContext): Promise<void> {
  const { lookups, findings, sourceId, settings } = at;
  const ids = settings.dryRun ? drafts.map(({ oldId }) => oldId) : await takeIds(at.ctx.db, "users", drafts.length);
  const pairs = drafts.map(({ oldId }, index) => [oldId, ids[index] ?? 0] as const);
  const inviters = await lookups.newIds(
    "users",
    drafts.flatMap(({ inviter }) => (inviter > 0 ? inviter : [])),
  );
  for (const [oldId, newId] of pairs) inviters.set(oldId, newId);
  const accounts = drafts.map((draft, index) => {
    const inviterId = inviters.get(draft.inviter) ?? null;
    if (draft.inviter > 0 && inviterId === null)
      noteChange(findings, "the inviter was not imported: without an inviter", `#${draft.oldId} ${draft.username}`);
    return {
      ...draft,
      id: ids[index] ?? 0,
      reference: `import:${sourceId}:user:${draft.oldId}`,
      columns: columnsOf(draft, inviterId),
    };
  });
  await lookups.remember("users", pairs);
  if (settings.dryRun) return;
  await openAccounts(at.ctx.db, accounts);
  await openEarnings(
    at.ctx.db,
    accounts.map(({ id, earned, pending, reference }) => ({ userId: id, earned, pending, reference })),
  );
}

function columnsOf(draft: UserDraft, inviterId: number | null): Record<string, unknown> {
  const outside: Record<string, string | null> = {
    github_id: null,
    github_server: "",
    oidc_id: null,
    oidc_issuer: "",
    wechat_id: null,
    wechat_server: "",
    telegram_id: null,
    linux_do_id: null,
    linux_do_server: "",
  };
  for (const { id, idColumn, place, placeColumn } of draft.bindings) {
    outside[idColumn] = id.split("\n")[0] ?? null;
    if (placeColumn !== null) outside[placeColumn] = place;
  }
  return {
    ...draft.columns,
    ...outside,
    username: draft.username,
    email: draft.email,
    aff_code: draft.affCode,
    access_token_hash: draft.accessTokenHash,
    inviter_id: inviterId,
    created_at: draft.createdAt || nowSeconds(),
  };
}
