import { z } from "zod";
import { AppError } from "@/lib/errors";
import { idField } from "@/lib/http/id";
import { named } from "@/lib/http/named-number";
import { wireLimits } from "@/lib/limit/wire";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { CHANNEL_STATUS } from "@/lib/row-status";
import type { UpdateChannelInput } from "./schemas";
import type { TestProgress } from "./test-progress";
import type { Channel, ChannelCircuit, ChannelKey } from "./types";

/** A channel in the /api format; `key` is always empty. */
export function toWireChannel(channel: Channel, circuits: readonly ChannelCircuit[]) {
  return {
    id: channel.id,
    type: channel.type,
    key: "",
    openai_organization: channel.openaiOrganization,
    test_model: channel.testModel,
    status: channel.status,
    name: channel.name,
    weight: channel.weight,
    created_time: channel.createdTime,
    test_time: channel.testTime,
    response_time: channel.responseTime,
    base_url: channel.baseUrl,
    other: channel.other,
    balance: channel.balance,
    balance_updated_time: channel.balanceUpdatedTime,
    models: channel.models,
    group: channel.group,
    used_quota: channel.usedQuota,
    model_mapping: channel.modelMapping,
    status_code_mapping: channel.statusCodeMapping,
    priority: channel.priority,
    auto_ban: channel.autoBan,
    other_info: JSON.stringify(channel.otherInfo),
    tag: channel.tag,
    setting: channel.setting,
    param_override: channel.paramOverride,
    circuits: circuits.map((circuit) => ({
      model: circuit.model,
      cause: circuit.cause,
      opened_at: circuit.openedAt,
      rest_seconds: circuit.restSeconds,
      probing: circuit.isProbed,
    })),
    requests_per_minute: channel.requestsPerMinute,
    tokens_per_minute: channel.tokensPerMinute,
    concurrency_limit: channel.concurrencyLimit,
  };
}

const text = z.string().nullish();
const list = z.union([z.string(), z.array(z.string())]).nullish();

/** A channel's type, by number or name. */
export const channelKind = named(CHANNEL_TYPE, "channelTypeInvalid");

/** The fields a client may set. Clients send back whole rows; other fields are ignored. */
export const wireChannelSchema = z.object({
  id: idField.optional(),
  type: channelKind.optional(),
  key: z.string().optional(),
  openai_organization: text,
  test_model: text,
  status: named(CHANNEL_STATUS, "channelStatusInvalid").optional(),
  name: z.string().optional(),
  weight: z.number().nullish(),
  base_url: text,
  other: text,
  models: list,
  group: list,
  groups: list,
  model_mapping: text,
  status_code_mapping: text,
  priority: z.number().nullish(),
  auto_ban: z.number().nullish(),
  tag: text,
  setting: text,
  param_override: text,
  requests_per_minute: wireLimits.requests_per_minute,
  tokens_per_minute: wireLimits.tokens_per_minute,
  concurrency_limit: wireLimits.concurrency_limit,
  /** The channel whose keys a new one takes when it has none of its own. */
  copy_from: idField.nullish(),
  /** "multi_to_single": one channel with all the keys. */
  mode: text,
});
export type WireChannel = z.output<typeof wireChannelSchema>;

const joined = (value: string | string[] | null | undefined) => (Array.isArray(value) ? value.join(",") : value);
const emptied = (value: string | null | undefined) => (value === null ? "" : value);
const zeroed = (value: number | null | undefined) => (value === null ? 0 : value);

/** Clients name them in either field, or in both. Throws invalid where these do not say the same. */
function groupsOf(wire: Pick<WireChannel, "group" | "groups">): string | undefined {
  const [one, other] = [joined(wire.group) ?? undefined, joined(wire.groups) ?? undefined];
  if (one && other && sorted(one) !== sorted(other))
    throw new AppError("invalid", "channelGroupsDiffer", { field: "group" });
  return one || (other ?? one);
}

const sorted = (names: string) => [...new Set(names.split(",").map((name) => name.trim()))].sort().join(",");

/**
 * The fields under their internal names; null becomes empty, absent stays absent. Statuses that only the system sets
 * (0, 3) are read-only and ignored.
 */
export function fromWireChannel(wire: WireChannel): Omit<UpdateChannelInput, "id"> & { severalKeys?: boolean } {
  const pairs = {
    type: wire.type,
    key: wire.key,
    name: wire.name,
    openaiOrganization: emptied(wire.openai_organization),
    testModel: emptied(wire.test_model),
    weight: zeroed(wire.weight),
    priority: zeroed(wire.priority),
    baseUrl: emptied(wire.base_url),
    other: emptied(wire.other),
    models: joined(wire.models) ?? undefined,
    group: groupsOf(wire),
    modelMapping: emptied(wire.model_mapping),
    statusCodeMapping: emptied(wire.status_code_mapping),
    autoBan: wire.auto_ban ?? undefined,
    tag: wire.tag,
    setting: emptied(wire.setting),
    paramOverride: emptied(wire.param_override),
    requestsPerMinute: wire.requests_per_minute,
    tokensPerMinute: wire.tokens_per_minute,
    concurrencyLimit: wire.concurrency_limit,
    severalKeys: wire.mode === "multi_to_single" ? true : undefined,
    status: wire.status === CHANNEL_STATUS.enabled || wire.status === CHANNEL_STATUS.disabled ? wire.status : undefined,
  };
  return Object.fromEntries(Object.entries(pairs).filter(([, value]) => value !== undefined));
}

/** One of several keys in the /api format; never with the key text. */
export function toWireKey(key: ChannelKey) {
  return {
    id: key.id,
    fingerprint: key.fingerprint,
    status: key.status,
    reason: key.reason,
    status_time: key.statusTime,
    created_time: key.createdTime,
  };
}

/** Progress of a test of all channels; null when there was none. */
export function toWireProgress(progress: TestProgress | null) {
  if (!progress) return null;
  return {
    total: progress.total,
    started_at: progress.startedAt,
    finished_at: progress.finishedAt,
    results: progress.outcomes.map(({ timeMs, ...outcome }) => ({ ...outcome, time: timeMs / 1_000 })),
  };
}
