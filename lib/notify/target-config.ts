import { randomAlphanumeric, unseal } from "@/lib/crypto";
import { checkEgressUrl } from "@/lib/egress";
import { AppError } from "@/lib/errors";
import { fieldsOf, type TargetConfig, type TargetKind } from "./target-kinds";

type Values = Record<string, string>;

const TEXT_MAX = 2_000;
const SECRET_LENGTH = 32;

/** Valid field values. The first group of a pattern is stored, so that the key is extracted from a pasted URL. */
const PATTERNS: { [Field in string]?: RegExp } = {
  "email.address": /^([^\s@<>",;:\\]+@[^\s@<>",;:\\]+)$/,
  "email.code": /^(\w{6})$/,
  "webhook.secret": /^(\P{Cc}{8,256})$/u,
  "wxpusher.uid": /^(UID_\w{4,60})$/,
  "bark.key": /^(?:https?:\/\/[^/\s]+\/)?([\w-]{4,64})(?:\/.*)?$/,
  "gotify.token": /^([\w.-]{4,64})$/,
  "dingtalk.token": /^(?:https:\/\/\S*[?&]access_token=)?([\w-]{8,128})$/,
  "dingtalk.secret": /^([\w-]{8,128})$/,
  "feishu.hook": /^(?:https:\/\/open\.feishu\.cn\/open-apis\/bot\/v2\/hook\/)?([\w-]{8,128})$/,
  "feishu.secret": /^([\w-]{8,128})$/,
  "wecom.key": /^(?:https:\/\/\S*[?&]key=)?([\w-]{8,64})$/,
  "telegram.chatId": /^(-?\d{1,20}|@\w{4,32})$/,
  "telegram.botToken": /^(\d{5,20}:[\w-]{20,64})$/,
  "discord.webhook": /^(?:https:\/\/[\w.]+\/api\/(?:v\d+\/)?webhooks\/)?(\d{5,25}\/[\w-]{20,100})$/,
};

/**
 * Validates a submitted target configuration. An empty secret stays unchanged. Throws AppError "invalid" naming the
 * field as `config.<name>`.
 */
export function readConfig(kind: TargetKind, input: Values, before: Values | null): Values {
  const config: Values = {};
  for (const field of fieldsOf(kind)) {
    const given = (input[field.name] ?? "").trim();
    const kept = field.secret && given === "" ? (before?.[field.name] ?? "") : given;
    if (kept === "" && !field.optional) throw refuse("notifyValueMissing", field.name);
    config[field.name] = kept === "" ? "" : readValue(`${kind}.${field.name}`, kept, field.input === "url");
  }
  if (kind === "webhook" && config.secret === "") config.secret = randomAlphanumeric(SECRET_LENGTH);
  return config;
}

function readValue(field: string, text: string, isUrl: boolean): string {
  const name = field.split(".")[1] ?? "";
  if (text.length > TEXT_MAX) throw refuse("notifyValueBad", name);
  if (isUrl) return readUrl(text, name);
  const found = PATTERNS[field]?.exec(text)?.[1];
  if (found === undefined || found.length > TEXT_MAX) throw refuse("notifyValueBad", name);
  return found;
}

/** Only a permitted URL is stored; the addresses its name resolves to are checked at every delivery. */
function readUrl(text: string, name: string): string {
  try {
    const { href } = checkEgressUrl(text);
    return name === "server" ? href.replace(/\/+$/, "") : href;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AppError("invalid", error.messageKey, { ...error.params, field: `config.${name}` }, error);
  }
}

function refuse(messageKey: string, name: string): AppError {
  return new AppError("invalid", messageKey, { field: `config.${name}` });
}

/** The configuration without its secrets, for the owner's browser. */
export function publicConfig(kind: TargetKind, config: Values): Values {
  const open = fieldsOf(kind).filter((field) => !field.secret);
  return Object.fromEntries(open.map(({ name }) => [name, config[name] ?? ""]));
}

/** A short text by which the owner tells one target from another. */
export function hintOf(config: Values): string {
  const { address, url, server, uid, chatId } = config;
  const host = url || server;
  if (host) return new URL(host).host;
  if (address !== undefined) return address;
  if (chatId !== undefined) return chatId;
  const secret = uid ?? config.key ?? config.token ?? config.hook ?? config.webhook ?? "";
  return `…${secret.slice(-4)}`;
}

/** Decrypts the configuration for the sender. */
export function openConfig<Kind extends TargetKind>(cipher: string): TargetConfig<Kind> {
  return JSON.parse(unseal(cipher)) as TargetConfig<Kind>;
}
