import type { CreateChannelInput } from "@/lib/channel/schemas";
import { createChannelSchema, splitKeys } from "@/lib/channel/schemas";
import { englishText } from "@/lib/i18n/english-text";
import { channelTypes } from "@/lib/provider-catalogue";
import { CHANNEL_STATUS } from "@/lib/row-status";
import { type Findings, noteChange } from "./findings";
import { keepEntries } from "./kept-entries";
import { fromOneApi } from "./one-api-channel-types";
import type { SourceRow, System } from "./types";
import { objectOf, secondsOf, textOf, wholeOf } from "./values";

export type ChannelDraft = {
  input: CreateChannelInput;
  /** What creating a channel does not set. */
  state: { status: number; otherInfo: Record<string, unknown>; createdTime: number };
  /** Of a channel with several keys: the ones that were off there. */
  keysOff: { key: string; status: number }[];
};

export const CHANNEL_COLUMNS = [
  "id",
  "type",
  "key",
  "openai_organization",
  "test_model",
  "testing_model",
  "status",
  "name",
  "weight",
  "created_time",
  "base_url",
  "other",
  "config",
  "models",
  "group",
  "model_mapping",
  "status_code_mapping",
  "priority",
  "auto_ban",
  "other_info",
  "tag",
  "setting",
  "settings",
  "param_override",
  "header_override",
  "system_prompt",
  "channel_info",
  "ratelimit",
  "model_configs",
  "model_ratio",
  "completion_ratio",
] as const;

/** Fields without which a channel goes on working, but not as it did: it is switched off where one of them cannot be kept. */
const DELICATE: Record<string, unknown> = {
  modelMapping: "",
  statusCodeMapping: "",
  setting: "",
  paramOverride: "",
  baseUrl: "",
  other: "",
};
/** Of these one entry can be left out without changing what the others mean. */
const MAPS: readonly string[] = ["modelMapping", "statusCodeMapping"];
const HARMLESS: Record<string, unknown> = {
  weight: 0,
  priority: 0,
  testModel: "",
  openaiOrganization: "",
  tag: null,
  autoBan: 1,
};
/** Settings that mean the same here (lib/snapshot/channel-setting.ts). */
const SETTINGS = [
  "force_format",
  "thinking_to_content",
  "proxy",
  "pass_through_body_enabled",
  "system_prompt",
  "system_prompt_override",
];

/** A row of `channels` as a channel here, or why it cannot be one. */
export function convertChannel(row: SourceRow, system: System, findings: Findings): ChannelDraft | string {
  const example = `#${String(row.id)} ${textOf(row, "name")}`;
  const change = (what: string) => noteChange(findings, what, example);
  const type = typeOf(row, system);
  if (typeof type === "string") return type;
  const keys = keysOf(row, type.type);
  const candidate: Record<string, unknown> = {
    type: type.type,
    key: keys.map(({ key }) => key).join("\n"),
    severalKeys: keys.length > 1,
    name: textOf(row, "name") || `channel ${String(row.id)}`,
    openaiOrganization: textOf(row, "openai_organization"),
    testModel: textOf(row, "test_model") || textOf(row, "testing_model"),
    weight: wholeOf(row, "weight") ?? 0,
    priority: wholeOf(row, "priority") ?? 0,
    baseUrl: textOf(row, "base_url") || type.baseUrl,
    other: otherOf(row),
    models: textOf(row, "models"),
    group: textOf(row, "group") || "default",
    modelMapping: jsonOf(row, "model_mapping"),
    statusCodeMapping: jsonOf(row, "status_code_mapping"),
    autoBan: wholeOf(row, "auto_ban") ?? 1,
    tag: textOf(row, "tag") || null,
    setting: settingOf(row, change),
    paramOverride: jsonOf(row, "param_override"),
  };
  reportLost(row, change);
  const input = checkAll(candidate, change);
  if (typeof input.reason === "string") return input.reason;
  const off = keys.filter(({ status }) => status !== CHANNEL_STATUS.enabled);
  return { input: input.value, state: stateOf(row, input.isDamaged, change), keysOff: keys.length > 1 ? off : [] };
}

function typeOf(row: SourceRow, system: System): { type: number; baseUrl: string } | string {
  const number = wholeOf(row, "type") ?? 0;
  const known = system === "one-api" ? fromOneApi(number) : { type: number, baseUrl: "" };
  return known && channelTypes.has(known.type) ? known : `the channel type ${number} does not exist here`;
}

function keysOf(row: SourceRow, type: number): { key: string; status: number }[] {
  const text = textOf(row, "key");
  const info = objectOf(row, "channel_info");
  const isSeveral = typeof info === "object" && info.is_multi_key === true;
  const states = typeof info === "object" ? info.multi_key_status_list : null;
  const stateAt = (index: number): number => {
    const state: unknown =
      typeof states === "object" && states !== null ? Reflect.get(states, String(index)) : undefined;
    return state === CHANNEL_STATUS.disabled || state === CHANNEL_STATUS.autoDisabled ? state : CHANNEL_STATUS.enabled;
  };
  const listed = isSeveral ? (documentsOf(text) ?? text.split("\n")) : splitKeys(type, text);
  const seen = new Map<string, number>();
  for (const [index, key] of listed.entries()) {
    const trimmed = key.trim();
    if (trimmed !== "" && !seen.has(trimmed)) seen.set(trimmed, isSeveral ? stateAt(index) : CHANNEL_STATUS.enabled);
  }
  return [...seen].map(([key, status]) => ({ key, status }));
}

/** Several service accounts are one JSON array. */
function documentsOf(text: string): string[] | null {
  if (!text.startsWith("[")) return null;
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.map((item) => (typeof item === "string" ? item : JSON.stringify(item))) : null;
  } catch {
    return null;
  }
}

/** `{}` and null say nothing. */
function jsonOf(row: SourceRow, column: string): string {
  const text = textOf(row, column);
  return text === "null" || /^\{\s*\}$/.test(text) ? "" : text;
}

/** one-api has the region, version or plug-in in its own JSON. */
function otherOf(row: SourceRow): string {
  const config = objectOf(row, "config");
  const named =
    typeof config === "object"
      ? [config.api_version, config.region, config.library_id, config.plugin, config.user_id]
      : [];
  return textOf(row, "other") || String(named.find((value) => typeof value === "string" && value !== "") ?? "");
}

function settingOf(row: SourceRow, change: (what: string) => void): string {
  const given = objectOf(row, "setting");
  const prompt = textOf(row, "system_prompt");
  const info = objectOf(row, "channel_info");
  const mode = typeof info === "object" ? info.multi_key_mode : undefined;
  if (given === "broken") return textOf(row, "setting");
  const kept = Object.entries(given === "empty" ? {} : given).filter(([name, value]) => {
    if (SETTINGS.includes(name)) return true;
    if (value !== "" && value !== false && value !== null && value !== 0)
      change(`the setting ${name} does not exist here`);
    return false;
  });
  const setting = {
    ...Object.fromEntries(kept),
    ...(prompt === "" ? {} : { system_prompt: prompt }),
    ...(mode === "random" || mode === "polling" ? { multi_key_mode: mode } : {}),
  };
  return Object.keys(setting).length === 0 ? "" : JSON.stringify(setting);
}

const LOST = {
  header_override: "headers of its own",
  settings: "further settings (the column settings)",
  model_configs: "prices of its own",
  model_ratio: "prices of its own",
  completion_ratio: "prices of its own",
  ratelimit: "a rate limit of its own",
} as const;

function reportLost(row: SourceRow, change: (what: string) => void): void {
  const lost = Object.entries(LOST).filter(([column]) => !["", "0", "{}", "null"].includes(jsonOf(row, column)));
  for (const what of new Set(lost.map(([, words]) => words))) change(`${what}: not carried over`);
}

type Fit = { value: CreateChannelInput; isDamaged: boolean; reason?: undefined } | { reason: string };

/** What does not pass the checks of a new channel is left out, where the channel can do without. */
function checkAll(candidate: Record<string, unknown>, change: (what: string) => void): Fit {
  const kept = { ...candidate };
  let isDamaged = false;
  for (;;) {
    const checked = createChannelSchema.safeParse(kept);
    if (checked.success) return { value: kept as CreateChannelInput, isDamaged };
    const issue = checked.error.issues[0];
    const field = String(issue?.path[0] ?? "");
    const entries = MAPS.includes(field) ? keepEntries(String(kept[field]), (text) => isFit(kept, field, text)) : null;
    if (entries && entries.leftOut.length > 0) {
      kept[field] = entries.text;
      for (const { name, value } of entries.leftOut)
        change(`${field}: the entry ${name} is not valid, the others are: ${value}`);
      continue;
    }
    const isDelicate = Object.hasOwn(DELICATE, field) && kept[field] !== "";
    if (!isDelicate && !(Object.hasOwn(HARMLESS, field) && kept[field] !== HARMLESS[field]))
      return { reason: `refused as a channel: ${englishText({ messageKey: issue?.message ?? "unknown" })}` };
    kept[field] = isDelicate ? DELICATE[field] : HARMLESS[field];
    isDamaged ||= isDelicate;
    change(`${field} is not valid: left out${isDelicate ? ", and the channel is switched off" : ""}`);
  }
}

function isFit(candidate: Record<string, unknown>, field: string, text: string): boolean {
  const checked = createChannelSchema.safeParse({ ...candidate, [field]: text });
  return checked.success || !checked.error.issues.some(({ path }) => path[0] === field);
}

function stateOf(row: SourceRow, isDamaged: boolean, change: (what: string) => void): ChannelDraft["state"] {
  const status = wholeOf(row, "status");
  const known = Object.values(CHANNEL_STATUS).find((value) => value === status);
  if (known === undefined) change(`the status ${status ?? "(none)"} is unknown: switched off`);
  const info = objectOf(row, "other_info");
  const { status_reason, status_time } = typeof info === "object" ? info : {};
  const isOn = known === CHANNEL_STATUS.enabled;
  return {
    status: isDamaged && isOn ? CHANNEL_STATUS.disabled : (known ?? CHANNEL_STATUS.disabled),
    otherInfo: known === CHANNEL_STATUS.autoDisabled ? { status_reason, status_time } : {},
    createdTime: secondsOf(row, "created_time"),
  };
}
