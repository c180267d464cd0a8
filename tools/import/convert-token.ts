import ipaddr from "ipaddr.js";
import { seal, sha256Hex } from "@/lib/crypto";
import { keyHintOf } from "@/lib/key-hint";
import { TOKEN_STATUS } from "@/lib/row-status";
import { type Findings, noteChange } from "./findings";
import type { SourceRow } from "./types";
import { amountOf, cut, flagOf, isDeleted, secondsOf, textOf, wholeOf } from "./values";

/** As the gateway reads keys: a hyphen in one would start the channel's number. */
const KEY = /^[0-9A-Za-z]{1,128}$/;
const NAME_MAX = 30;
const GROUP_MAX = 64;
const NEVER = -1;

export type KeyDraft = {
  oldId: number;
  owner: number;
  keyHash: string;
  remainQuota: number;
  usedQuota: number;
  columns: Record<string, unknown>;
};

export const TOKEN_COLUMNS = [
  "id",
  "user_id",
  "key",
  "status",
  "name",
  "created_time",
  "accessed_time",
  "expired_time",
  "remain_quota",
  "used_quota",
  "unlimited_quota",
  "model_limits_enabled",
  "model_limits",
  "models",
  "allow_ips",
  "subnet",
  "group",
  "cross_group_retry",
  "deleted_at",
] as const;

/** A row of `tokens` as an API key here, or why it cannot be one. */
export function convertToken(row: SourceRow, findings: Findings): KeyDraft | string {
  if (isDeleted(row)) return "deleted there";
  const key = textOf(row, "key").replace(/^sk-/, "");
  if (!KEY.test(key)) return "the key is none: not 1 to 128 letters and digits";
  const oldId = wholeOf(row, "id") ?? 0;
  const remainQuota = amountOf(row, "remain_quota");
  const usedQuota = amountOf(row, "used_quota");
  if (
    typeof remainQuota !== "number" ||
    typeof usedQuota !== "number" ||
    !Number.isSafeInteger(remainQuota + usedQuota)
  )
    return "the limit, or what was used, is beyond 9007199254740991 or no number";
  const change = (what: string) => noteChange(findings, what, `#${oldId} ${cut(textOf(row, "name"), NAME_MAX)}`);
  return {
    oldId,
    owner: wholeOf(row, "user_id") ?? 0,
    keyHash: sha256Hex(key),
    remainQuota,
    usedQuota,
    columns: { ...readKey(key), ...readColumns(row, oldId, change) },
  };
}

function readKey(key: string): Record<string, string> {
  return { key_hash: sha256Hex(key), key_cipher: seal(key), key_hint: keyHintOf(key) };
}

type Change = (what: string) => void;

function readColumns(row: SourceRow, oldId: number, change: Change): Record<string, unknown> {
  const addresses = readAddresses(row, change);
  const name = textOf(row, "name") || `key ${oldId}`;
  if ([...name].length > NAME_MAX) change(`the name is longer than ${NAME_MAX} characters: cut`);
  if (flagOf(row, "cross_group_retry")) change("retries in other groups are not set by key here");
  return {
    status: addresses === null ? TOKEN_STATUS.disabled : readStatus(row, change),
    name: cut(name, NAME_MAX),
    created_time: secondsOf(row, "created_time"),
    accessed_time: secondsOf(row, "accessed_time"),
    expired_time: readExpiry(row),
    unlimited_quota: flagOf(row, "unlimited_quota"),
    ...readModels(row),
    allow_ips: addresses ?? "",
    group: readGroup(row, change),
  };
}

/** A time of 0 is past there as here: only -1, or none at all, is never. */
function readExpiry(row: SourceRow): number {
  const time = wholeOf(row, "expired_time");
  return time === null || time === NEVER ? NEVER : secondsOf(row, "expired_time");
}

function readStatus(row: SourceRow, change: Change): number {
  const status = wholeOf(row, "status");
  const known = Object.values(TOKEN_STATUS).find((value) => value === status);
  if (known === undefined) change(`the status ${status ?? "(none)"} is unknown: now disabled`);
  return known ?? TOKEN_STATUS.disabled;
}

/** new-api has a switch and a list, one-api a list alone. */
function readModels(row: SourceRow): Record<string, unknown> {
  const list = (textOf(row, "model_limits") || textOf(row, "models")).split(",").map((model) => model.trim());
  const models = [...new Set(list)].filter(Boolean).join(",");
  const isOn = "model_limits_enabled" in row ? flagOf(row, "model_limits_enabled") : models !== "";
  return { model_limits_enabled: isOn, model_limits: models };
}

/** Null = the key had a list of addresses of which none is one: without it, the key would be open to all. */
function readAddresses(row: SourceRow, change: Change): string | null {
  const given = (textOf(row, "allow_ips") || textOf(row, "subnet"))
    .split(/[\n,]/)
    .map((line) => line.replaceAll(/\s/g, ""));
  const listed = given.filter((line) => line !== "");
  const valid = listed.filter((line) => (line.includes("/") ? ipaddr.isValidCIDR(line) : ipaddr.isValid(line)));
  if (valid.length < listed.length) change("some of the allowed addresses are none: left out");
  if (listed.length > 0 && valid.length === 0) {
    change("none of the allowed addresses is one: the key is disabled");
    return null;
  }
  return valid.join("\n");
}

function readGroup(row: SourceRow, change: Change): string {
  const group = textOf(row, "group");
  if (group === "auto") change("the group auto does not exist here: the key uses its user's group");
  else if ([...group].length <= GROUP_MAX) return group;
  else change(`the group's name is longer than ${GROUP_MAX} characters: the key uses its user's group`);
  return "";
}
