import type { PlannedStatement } from "./statement-plans";

const NEXT_RELEASE = "the version before names it in ON CONFLICT: goes with the next release (db/README.md)";
const DIRECTORY = "the directory: it finds the user, so it cannot have the user";

/** Unique indexes without the user. */
export const keysWithout: Record<string, string> = {
  users_username_key: DIRECTORY,
  users_email_key: DIRECTORY,
  users_access_token_key: DIRECTORY,
  users_aff_code_key: DIRECTORY,
  users_github_key: DIRECTORY,
  users_oidc_key: DIRECTORY,
  users_wechat_key: DIRECTORY,
  users_telegram_key: DIRECTORY,
  users_linux_do_key: DIRECTORY,
  tokens_key_hash_key: DIRECTORY,
  ledger_entries_reference_key: NEXT_RELEASE,
  affiliate_entries_reference_key: NEXT_RELEASE,
  refused_settlements_pkey: NEXT_RELEASE,
  budget_periods_owner_owner_id_period_pk: NEXT_RELEASE,
  budget_holds_owner_owner_id_node_id_pk: NEXT_RELEASE,
};

/** Statements that look at rows of several users. None of them is part of a request, but where it says so. */
export const statementsWithout: { text: RegExp; reason: string }[] = [
  { text: /where t\.key_hash = /, reason: DIRECTORY },
  {
    text: /from tasks where task_id = \S+ and wire = \S+$/,
    reason: "a picture that is public to those who know its id; no money",
  },
  { text: /from leases where node_id = \S+$/, reason: "a process asks for its own leases, once a minute" },
  { text: /from leases where node_id = any/, reason: "the leases of a dead process go back" },
  {
    text: /"(leases|budget_holds)".*OPERATOR\(pg_catalog\.=\) "node_id"/,
    reason: "a process goes, by its foreign key",
  },
  { text: /^with turns as materialized/, reason: "the worker asks upstreams about the tasks of all users" },
  { text: /^with due as \( select request_id, user_id from open_charges/, reason: "the worker, about open charges" },
  { text: /from refused_settlements order by/, reason: "the worker tries refused charges of all users again" },
  { text: /^delete from idempotency_keys where created_at/, reason: "the worker deletes what is over its time" },
  { text: /^delete from upstream_objects where ctid/, reason: "the worker deletes what is over its time" },
  { text: /^update "top_ups" set "status" = \S+ where .*"create_time" </, reason: "the worker, unpaid orders" },
  { text: /from users u where u\.role >= /, reason: "the administrators of this database are told" },
  {
    text: /from "top_ups" where "top_ups"\."trade_no" = \S+ for update/,
    reason: `${DIRECTORY}: a payment names its order`,
  },
  {
    text: /^select "id" from "users" where .*"inviter_id" from "users"/,
    reason: "who invited somebody gets a share: users who invite each other belong into one database",
  },
  { text: /from "affiliate_entries" where "affiliate_entries"\."reference"/, reason: `${DIRECTORY}: who got a share` },
];

export function isListed({ text }: PlannedStatement): boolean {
  return statementsWithout.some((listed) => listed.text.test(text));
}
