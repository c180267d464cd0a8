import { importedKeyHash, seal, sha256Hex } from "@/lib/crypto";
import { hashOnlyHint } from "@/lib/key-hint";
import { TOKEN_STATUS } from "@/lib/row-status";
import { type Findings, noteChange } from "../findings";
import type { SourceRow } from "../types";
import { cut, flagOf, realOf, textOf, wholeOf } from "../values";
import { readModels } from "./key-models";
import { readOperations } from "./key-operations";
import { readBudget } from "./read-budget";
import { limitOf } from "./read-config";
import { isSaid, timeOf } from "./tables";

const NAME_MAX = 30;
const NEVER = -1;
const SHA256 = /^[0-9a-f]{64}$/i;
/** Keys of sign-ins to LiteLLM's console belong to this team. */
const CONSOLE_TEAM = "litellm-dashboard";

export const KEY_COLUMNS = [
  "token",
  "key_name",
  "key_alias",
  "spend",
  "expires",
  "models",
  "aliases",
  "user_id",
  "team_id",
  "project_id",
  "organization_id",
  "max_parallel_requests",
  "metadata",
  "blocked",
  "tpm_limit",
  "rpm_limit",
  "max_budget",
  "budget_duration",
  "allowed_routes",
  "model_max_budget",
  "budget_id",
  "created_at",
  "last_active",
];

export type LitellmKey = {
  identity: string;
  /** How the report names it. */
  example: string;
  teamId: string;
  userId: string;
  keyHash: string;
  usedQuota: number;
  remainQuota: number;
  columns: Record<string, unknown>;
};

export type KeySettings = {
  perDollar: number;
  /** Rows of LiteLLM_BudgetTable by id. */
  budgets: ReadonlyMap<string, SourceRow>;
  /** Models of users and teams that have a list, by identity. */
  modelsOfOwners: ReadonlyMap<string, readonly string[]>;
  /** Names of models by access group. */
  accessGroups: ReadonlyMap<string, readonly string[]>;
  now: number;
};

/** What a key has no place for here; its absence changes answers or charges. */
const LOST = {
  aliases: "names of its own for models",
  model_max_budget: "budgets by model",
  project_id: "the limits of its project",
  organization_id: "the limits of its organization",
} as const;
const LOST_METADATA = {
  tags: "tags",
  guardrails: "guardrails",
  model_rpm_limit: "limits by model",
  model_tpm_limit: "limits by model",
  prompts: "prompts",
} as const;

/** A row of LiteLLM_VerificationToken as an API key, or why it is left out. Its SHA-256 is of the key as clients send it. */
export function convertKey(row: SourceRow, settings: KeySettings, findings: Findings): LitellmKey | string {
  const given = textOf(row, "token");
  // Before LiteLLM hashed keys, they were stored as they are.
  const sha256 = given.startsWith("sk-") ? sha256Hex(given) : given.toLowerCase();
  if (!SHA256.test(sha256)) return "neither a key nor the SHA-256 of one";
  const teamId = textOf(row, "team_id");
  if (teamId === CONSOLE_TEAM) return "a sign-in to LiteLLM's console";
  const end = /[\x21-\x7e]{4}$/.exec(textOf(row, "key_name"))?.[0] ?? "";
  const name = textOf(row, "key_alias") || (end === "" ? "litellm" : `litellm …${end}`);
  const change = (what: string) => noteChange(findings, what, cut(name, NAME_MAX));
  const operations = readOperations(row, change);
  if (operations === null) return "only for LiteLLM's management API, or for requests that do not exist here";
  const limits = readLimits(row, settings, change);
  if (typeof limits === "string") return limits;
  const models = readModels(
    row,
    { ...settings, owner: teamId === "" ? `user:${textOf(row, "user_id")}` : `team:${teamId}` },
    change,
  );
  reportLost(row, change);
  if ([...name].length > NAME_MAX) change(`the name is longer than ${NAME_MAX} characters: cut`);
  const keyHash = importedKeyHash(sha256);
  return {
    identity: `key:${sha256}`,
    example: cut(name, NAME_MAX),
    teamId,
    userId: textOf(row, "user_id"),
    keyHash,
    ...limits.amounts,
    columns: {
      key_hash: keyHash,
      // What the hash is made of, for a change of WEIR_SECRET.
      key_cipher: seal(sha256),
      key_hint: hashOnlyHint(end),
      name: cut(name, NAME_MAX),
      status: flagOf(row, "blocked") || models === null ? TOKEN_STATUS.disabled : TOKEN_STATUS.enabled,
      created_time: timeOf(row, "created_at") ?? settings.now,
      accessed_time: timeOf(row, "last_active") ?? 0,
      expired_time: timeOf(row, "expires") ?? NEVER,
      model_limits_enabled: models === null || models.length > 0,
      model_limits: (models ?? []).join(","),
      operation_limits: operations.join(","),
      ...limits.columns,
    },
  };
}

/** What the key has not itself, its row of LiteLLM_BudgetTable has. */
function readLimits(row: SourceRow, { perDollar, budgets }: KeySettings, change: (what: string) => void) {
  const shared = budgets.get(textOf(row, "budget_id")) ?? {};
  const own = (column: string) => row[column] ?? shared[column];
  const usedQuota = Math.round(realOf(row, "spend") * perDollar);
  const merged: SourceRow = { max_budget: own("max_budget"), budget_duration: own("budget_duration") };
  const budget = readBudget(merged, { perDollar, spend: usedQuota }, change);
  const remainQuota = budget.left ?? 0;
  if (!Number.isSafeInteger(usedQuota + remainQuota) || !Number.isSafeInteger(remainQuota))
    return "the budget, or what was spent, is beyond 9007199254740991";
  const limit = (column: string) => limitOf(wholeOf({ value: own(column) }, "value"));
  return {
    amounts: { usedQuota, remainQuota },
    columns: {
      unlimited_quota: budget.left === null,
      rate_limit_count: limit("rpm_limit"),
      rate_limit_seconds: 60,
      tokens_per_minute: limit("tpm_limit"),
      concurrency_limit: limit("max_parallel_requests"),
      ...budget.columns,
    },
  };
}

function reportLost(row: SourceRow, change: (what: string) => void): void {
  for (const [column, words] of Object.entries(LOST)) if (isSaid(row, column)) change(`${words}: not carried over`);
  const metadata = textOf(row, "metadata");
  const lost = Object.entries(LOST_METADATA).filter(([name]) => metadata.includes(`"${name}"`));
  for (const words of new Set(lost.map(([, each]) => each))) change(`${words} (metadata): not carried over`);
}
