import { ROLE } from "@/lib/context";
import { USER_STATUS } from "@/lib/row-status";
import { type Findings, noteChange } from "../findings";
import type { SourceRow } from "../types";
import { cut, flagOf, realOf, textOf, wholeOf } from "../values";
import { limitOf } from "./read-config";

const NAME_MAX = 64;
/** Periods that Weir has budgets for, by LiteLLM's words for them. */
const PERIODS: readonly [RegExp, string][] = [
  [/^(1d|24h|daily)$/, "budget_day"],
  [/^(7d|1w|weekly)$/, "budget_week"],
  [/^(30d|31d|1mo|monthly)$/, "budget_month"],
];

export type LitellmAccount = {
  identity: string;
  username: string;
  email: string | null;
  quota: number;
  usedQuota: number;
  columns: Record<string, unknown>;
};

/** A user or team as an account: who has a balance, limits and keys here. `perDollar` is QuotaPerUnit. */
export function convertAccount(
  row: SourceRow,
  kind: "user" | "team",
  perDollar: number,
  findings: Findings,
): LitellmAccount | string {
  const id = textOf(row, `${kind}_id`);
  const email = textOf(row, "user_email").toLowerCase();
  const username = cut(textOf(row, `${kind}_alias`) || email || id, NAME_MAX);
  if (id === "" || username === "") return "no name";
  const change = (what: string) => noteChange(findings, what, `${kind} ${username}`);
  const spend = Math.round(realOf(row, "spend") * perDollar);
  const budget = readBudget(row, perDollar, change);
  const left = budget.total === null ? 0 : budget.total - spend;
  if (!Number.isSafeInteger(left) || !Number.isSafeInteger(spend))
    return "the budget, or what was spent, is beyond 9007199254740991";
  if (kind === "team") change("a team is an account here, which nobody signs in to: make its keys under it");
  else change("the password is not carried over: weir user reset-password, or a reset by e-mail");
  if (textOf(row, "models") !== "") change("which models it may use is said by key here");
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
      budget_day: 0,
      budget_week: 0,
      budget_month: 0,
      ...budget.columns,
    },
  };
}

function readBudget(row: SourceRow, perDollar: number, change: (what: string) => void) {
  const none = { total: null, columns: {} };
  if (row.max_budget === null || row.max_budget === undefined) {
    change("no budget there means no limit; here a balance has to be given");
    return none;
  }
  const amount = Math.round(realOf(row, "max_budget") * perDollar);
  const duration = textOf(row, "budget_duration").toLowerCase();
  if (duration === "") return { total: amount, columns: {} };
  const column = PERIODS.find(([pattern]) => pattern.test(duration))?.[1];
  if (column === undefined) {
    change(`a budget per ${duration} does not exist here (day, week, month): left out, and a balance has to be given`);
    return none;
  }
  change("the budget of a period moves; a balance has to be given beside it");
  return { total: null, columns: { [column]: amount } };
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
