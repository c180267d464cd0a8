import { isBcryptHash } from "@/lib/bcrypt";
import { ROLE } from "@/lib/context";
import { sha256Hex } from "@/lib/crypto";
import { USER_STATUS } from "@/lib/row-status";
import { placesOf } from "./binding-places";
import { type Findings, noteChange } from "./findings";
import { placed, type Unique } from "./lookup-queries";
import type { SourceRow } from "./types";
import { amountOf, cut, isDeleted, objectOf, secondsOf, textOf, wholeOf } from "./values";

const NAME_MAX = 64;
const GROUP_MAX = 64;
const INT_MAX = 2_147_483_647;
/** one-api marks deleted accounts so. */
const DELETED_STATUS = 3;

export type Binding = { what: Unique; id: string; idColumn: string; place: string; placeColumn: string | null };

export type UserDraft = {
  oldId: number;
  username: string;
  email: string | null;
  affCode: string | null;
  accessTokenHash: string | null;
  bindings: Binding[];
  inviter: number;
  quota: number;
  usedQuota: number;
  requestCount: number;
  earned: number;
  pending: number;
  createdAt: number;
  columns: Record<string, unknown>;
};

export const USER_COLUMNS = [
  "id",
  "username",
  "password",
  "display_name",
  "role",
  "status",
  "email",
  "github_id",
  "discord_id",
  "oidc_id",
  "wechat_id",
  "telegram_id",
  "linux_do_id",
  "lark_id",
  "access_token",
  "quota",
  "used_quota",
  "request_count",
  "group",
  "aff_code",
  "aff_count",
  "aff_quota",
  "aff_history",
  "inviter_id",
  "deleted_at",
  "setting",
  "remark",
  "created_at",
] as const;

/** A row of `users` as an account here, or why it cannot be one. */
export function convertUser(
  row: SourceRow,
  findings: Findings,
  options: ReadonlyMap<string, string>,
): UserDraft | string {
  if (isDeleted(row) || wholeOf(row, "status") === DELETED_STATUS) return "deleted there";
  const username = textOf(row, "username");
  if (username === "") return "no user name";
  if ([...username].length > NAME_MAX) return `the user name is longer than ${NAME_MAX} characters`;
  const oldId = wholeOf(row, "id") ?? 0;
  const amounts = readAmounts(row);
  if (typeof amounts === "string") return amounts;
  const change = (what: string) => noteChange(findings, what, `#${oldId} ${username}`);
  const { earned, pending } = readEarnings(row, change);
  return {
    oldId,
    username,
    email: readEmail(row, change),
    affCode: cut(textOf(row, "aff_code"), 33).length > 32 ? null : textOf(row, "aff_code") || null,
    accessTokenHash: textOf(row, "access_token") === "" ? null : sha256Hex(textOf(row, "access_token")),
    bindings: readBindings(row, options, change),
    inviter: wholeOf(row, "inviter_id") ?? 0,
    ...amounts,
    earned,
    pending,
    createdAt: secondsOf(row, "created_at"),
    columns: readColumns(row, username, change),
  };
}

function readAmounts(row: SourceRow): { quota: number; usedQuota: number; requestCount: number } | string {
  const [quota, usedQuota, requestCount] = ["quota", "used_quota", "request_count"].map((column) =>
    amountOf(row, column),
  );
  const beyond = "the balance, or what was used, is beyond 9007199254740991 or no number";
  if (typeof quota !== "number" || typeof usedQuota !== "number" || typeof requestCount !== "number") return beyond;
  return Number.isSafeInteger(quota + usedQuota) ? { quota, usedQuota, requestCount } : beyond;
}

type Change = (what: string) => void;

function readColumns(row: SourceRow, username: string, change: Change): Record<string, unknown> {
  const group = textOf(row, "group") || "default";
  if ([...group].length > GROUP_MAX) change(`the group's name is longer than ${GROUP_MAX} characters: now default`);
  if (textOf(row, "remark") !== "") change("the remark of the administrators is not carried over");
  return {
    password_hash: readPassword(row, change),
    display_name: cut(textOf(row, "display_name") || username, NAME_MAX),
    role: readRole(row, change),
    status: readStatus(row, change),
    group: [...group].length > GROUP_MAX ? "default" : group,
    aff_count: Math.min(Math.max(wholeOf(row, "aff_count") ?? 0, 0), INT_MAX),
    setting: readSetting(row, change),
  };
}

function readPassword(row: SourceRow, change: Change): string | null {
  const hash = textOf(row, "password");
  if (isBcryptHash(hash)) return hash;
  if (hash !== "") change("the password's hash is of an unknown kind: the password has to be reset");
  return null;
}

function readRole(row: SourceRow, change: Change): number {
  const role = wholeOf(row, "role");
  if (role === ROLE.root) change("is a super admin here, too");
  if (role === ROLE.root || role === ROLE.admin || role === ROLE.user) return role;
  change(`the role ${role ?? "(none)"} is unknown: now an ordinary user`);
  return ROLE.user;
}

function readStatus(row: SourceRow, change: Change): number {
  const status = wholeOf(row, "status");
  if (status === USER_STATUS.enabled || status === USER_STATUS.disabled) return status;
  change(`the status ${status ?? "(none)"} is unknown: now banned`);
  return USER_STATUS.disabled;
}

function readEmail(row: SourceRow, change: Change): string | null {
  const email = textOf(row, "email").toLowerCase();
  if (email === "") return null;
  if (email.length <= 254 && /^[^\s@]+@[^\s@]+$/.test(email)) return email;
  change("the e-mail address is none: left out");
  return null;
}

/** Settings that mean the same here. */
function readSetting(row: SourceRow, change: Change): Record<string, unknown> {
  const setting = objectOf(row, "setting");
  if (setting === "broken") change("the settings are no JSON: left out");
  if (typeof setting === "string") return {};
  const { quota_warning_threshold: threshold, accept_unset_model_ratio_model: unpriced } = setting;
  return {
    ...(typeof threshold === "number" && threshold >= 0 ? { quota_warning_threshold: threshold } : {}),
    ...(unpriced === true ? { accept_unset_model_ratio_model: true } : {}),
  };
}

function readEarnings(row: SourceRow, change: Change): { earned: number; pending: number } {
  const pending = amountOf(row, "aff_quota");
  const earned = amountOf(row, "aff_history");
  if (typeof pending !== "number" || typeof earned !== "number" || pending < 0 || earned < 0) {
    change("the earnings by invitations are negative or no number: now 0");
    return { pending: 0, earned: 0 };
  }
  return { pending, earned: Math.max(pending, earned) };
}

function readBindings(row: SourceRow, options: ReadonlyMap<string, string>, change: Change): Binding[] {
  for (const column of ["discord_id", "lark_id"])
    if (textOf(row, column) !== "")
      change(`signing in by ${column.split("_")[0]} does not exist here: the binding is left out`);
  return placesOf(options).flatMap(({ column, what, idColumn, place, placeColumn, form }) => {
    const id = textOf(row, column);
    if (id === "") return [];
    if (!form.test(id)) {
      change(`the binding ${column} has another form (an old login name, not the account's number): left out`);
      return [];
    }
    if (place === null) {
      change(`the binding ${column} is of a server that the options there do not name: left out`);
      return [];
    }
    return [{ what, id: placeColumn === null ? id : placed(id, place), idColumn, place, placeColumn }];
  });
}
