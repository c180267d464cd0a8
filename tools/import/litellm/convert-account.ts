import { ROLE } from "@/lib/context";
import { USER_STATUS } from "@/lib/row-status";
import { type Findings, noteChange } from "../findings";
import type { SourceRow } from "../types";
import { cut, flagOf, realOf, textOf, wholeOf } from "../values";
import { readBudget } from "./read-budget";
import { limitOf } from "./read-config";
import { isSaid, listOf } from "./tables";

const NAME_MAX = 64;

export type LitellmAccount = {
  identity: string;
  username: string;
  email: string | null;
  quota: number;
  usedQuota: number;
  columns: Record<string, unknown>;
};

/** `perDollar` is QuotaPerUnit; `balance` what an account begins with that has no budget in all. */
export type Amounts = { perDollar: number; balance: number };

/** A user or team as an account: who has a balance, limits and keys here. */
export function convertAccount(
  row: SourceRow,
  kind: "user" | "team",
  { perDollar, balance }: Amounts,
  findings: Findings,
): LitellmAccount | string {
  const id = textOf(row, `${kind}_id`);
  const email = textOf(row, "user_email").toLowerCase();
  const username = cut(textOf(row, `${kind}_alias`) || email || id, NAME_MAX);
  if (id === "" || username === "") return "no name";
  const change = (what: string) => noteChange(findings, what, `${kind} ${username}`);
  const spend = Math.round(realOf(row, "spend") * perDollar);
  const budget = readBudget(row, { perDollar, spend }, change);
  const left = budget.left ?? balance;
  if (budget.left === null && balance === 0)
    change(
      "no budget in all there; here an account needs a balance (--balance): its keys are refused until it has one",
    );
  if (!Number.isSafeInteger(left) || !Number.isSafeInteger(spend))
    return "the budget, or what was spent, is beyond 9007199254740991";
  if (kind === "team") change("a team is an account here, which nobody signs in to: its keys are under it");
  else change("the password is not carried over: weir user reset-password, or a reset by e-mail");
  if (listOf(row, "models").length > 0) change("which models it may use is said by key here: its keys have the list");
  if (isSaid(row, "model_max_budget")) change("budgets by model do not exist here: left out");
  return {
    identity: `${kind}:${id}`,
    username,
    email: /^[^\s@]+@[^\s@]+$/.test(email) ? email : null,
    quota: left,
    usedQuota: spend,
    columns: {
      password_hash: null,
      display_name: username,
      role: readRole(row, change),
      status: flagOf(row, "blocked") ? USER_STATUS.disabled : USER_STATUS.enabled,
      group: "default",
      setting: {},
      requests_per_minute: limitOf(wholeOf(row, "rpm_limit")),
      tokens_per_minute: limitOf(wholeOf(row, "tpm_limit")),
      concurrency_limit: limitOf(wholeOf(row, "max_parallel_requests")),
      ...budget.columns,
    },
  };
}

function readRole(row: SourceRow, change: (what: string) => void): number {
  const role = textOf(row, "user_role");
  if (role === "proxy_admin") {
    change("is an administrator here, too");
    return ROLE.admin;
  }
  if (role === "proxy_admin_viewer") change("administrators who only look do not exist here: now an ordinary user");
  return ROLE.user;
}
