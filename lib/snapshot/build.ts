import { z } from "zod";
import { unseal } from "@/lib/crypto";
import type { Trust } from "@/lib/egress/address";
import type { OptionValues } from "@/lib/option/registry";
import { CHANNEL_STATUS } from "@/lib/row-status";
import { type ChannelSetting, readSetting } from "./channel-setting";
import type { ChannelKeyRow, ChannelRow } from "./queries";

/** One key of a channel that has several. */
export type SnapshotKey = { readonly id: number; readonly key: string };

/** What a channel takes, over all processes; 0 = no limit. */
export type ChannelLimits = {
  readonly requestsPerMinute: number;
  readonly tokensPerMinute: number;
  readonly concurrency: number;
};

/** A channel row with its JSON parsed and its keys decrypted. */
export type SnapshotChannel = {
  readonly id: number;
  readonly type: number;
  readonly name: string;
  /** The channel's only key; with several, the one for calls outside the request pipeline, such as channel tests. */
  readonly key: string;
  /** The enabled keys of a channel with several, which requests rotate through; null = the channel has only `key`. */
  readonly keys: readonly SnapshotKey[] | null;
  readonly openaiOrganization: string;
  readonly status: number;
  readonly weight: number;
  readonly priority: number;
  readonly baseUrl: string;
  readonly other: string;
  readonly models: readonly string[];
  readonly groups: readonly string[];
  readonly modelMapping: ReadonlyMap<string, string>;
  readonly statusCodeMapping: ReadonlyMap<number, number>;
  readonly autoBan: boolean;
  readonly setting: ChannelSetting;
  readonly paramOverride: Readonly<Record<string, unknown>>;
  /** Null = no limit is set. */
  readonly limits: ChannelLimits | null;
  /** Whether its connections may lead to a private network; see lib/egress. */
  readonly trust: Trust;
};

/** Channels of equal priority. */
export type Tier = readonly SnapshotChannel[];

/** All settings that decide a request, as of one moment. Immutable: a reload replaces the whole object. */
export type Snapshot = {
  readonly version: number;
  readonly options: OptionValues;
  readonly channels: ReadonlyMap<number, SnapshotChannel>;
  /** Some channel has limits. */
  readonly limitsChannels: boolean;
  /** There may be keys of which only a hash is known. */
  readonly hasImportedKeys: boolean;
  /** group → model → tiers of enabled channels, highest priority first. */
  readonly abilities: ReadonlyMap<string, ReadonlyMap<string, readonly Tier[]>>;
};

const textRecord = z.record(z.string(), z.string());
const numberRecord = z.record(z.string(), z.coerce.number().int().min(100).max(599));
const anyRecord = z.record(z.string(), z.unknown());

function readJson<Value>(text: string, schema: z.ZodType<Value>, fallback: Value): Value {
  if (text.trim() === "") return fallback;
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    return fallback;
  }
}

function splitList(text: string): string[] {
  const items = text.split(",").map((item) => item.trim());
  return [...new Set(items)].filter((item) => item !== "");
}

/**
 * `keys` are the enabled keys, and the first of them is `key`. With none enabled, `key` is one that was disabled
 * automatically.
 */
function readKeys(keyCipher: string, rows: ChannelKeyRow[] | null): Pick<SnapshotChannel, "key" | "keys"> {
  if (!rows || rows.length === 0) return { key: unseal(keyCipher), keys: null };
  const inUse = rows.filter(({ status }) => status === CHANNEL_STATUS.enabled);
  const keys = inUse.map((row) => ({ id: row.id, key: unseal(row.keyCipher) }));
  if (keys[0]) return { key: keys[0].key, keys };
  const other = rows.find(({ status }) => status === CHANNEL_STATUS.autoDisabled) ?? rows[0];
  return { key: other ? unseal(other.keyCipher) : "", keys };
}

function readLimits({ requestsPerMinute, tokensPerMinute, concurrencyLimit }: ChannelRow): ChannelLimits | null {
  if (requestsPerMinute <= 0 && tokensPerMinute <= 0 && concurrencyLimit <= 0) return null;
  return { requestsPerMinute, tokensPerMinute, concurrency: concurrencyLimit };
}

type RoutingColumns = Pick<
  ChannelRow,
  "id" | "type" | "name" | "weight" | "priority" | "models" | "group" | "modelMapping" | "setting"
>;

/** The part of a channel that needs no key. */
export function readRouting(row: RoutingColumns) {
  return {
    id: row.id,
    type: row.type,
    name: row.name,
    weight: row.weight,
    priority: row.priority,
    models: splitList(row.models),
    groups: splitList(row.group),
    modelMapping: new Map(Object.entries(readJson(row.modelMapping, textRecord, {}))),
    setting: readSetting(readJson(row.setting, anyRecord, {})),
  };
}

/** Parses one row. Invalid JSON in a setting is treated as empty. Throws when a key cannot be decrypted. */
export function readChannel(row: ChannelRow): SnapshotChannel {
  const statusCodes = Object.entries(readJson(row.statusCodeMapping, numberRecord, {}));
  const { key, keys } = readKeys(row.keyCipher, row.keys);
  return {
    ...readRouting(row),
    key,
    keys,
    openaiOrganization: row.openaiOrganization,
    // A channel without an enabled key cannot send requests.
    status: keys?.length === 0 && row.status === CHANNEL_STATUS.enabled ? CHANNEL_STATUS.autoDisabled : row.status,
    baseUrl: row.baseUrl.replace(/\/+$/, ""),
    other: row.other,
    statusCodeMapping: new Map(statusCodes.map(([from, to]) => [Number(from), to])),
    autoBan: row.autoBan === 1,
    paramOverride: readJson(row.paramOverride, anyRecord, {}),
    limits: readLimits(row),
    trust: row.privateAllowed ? "operator" : "public",
  };
}

/** What of a channel decides whether and when it is asked. */
type Routed = Pick<SnapshotChannel, "id" | "status" | "priority" | "groups" | "models">;

/** group → model → tiers; only enabled channels are included. */
export function deriveAbilities<Channel extends Routed>(
  channels: Iterable<Channel>,
): ReadonlyMap<string, ReadonlyMap<string, readonly (readonly Channel[])[]>> {
  const abilities = new Map<string, Map<string, Channel[][]>>();
  const ordered = [...channels].sort((a, b) => b.priority - a.priority || a.id - b.id);
  for (const channel of ordered) {
    if (channel.status !== CHANNEL_STATUS.enabled) continue;
    for (const group of channel.groups) {
      const models = getOrAdd(abilities, group, () => new Map<string, Channel[][]>());
      for (const model of channel.models) {
        const tiers = getOrAdd(models, model, () => []);
        const last = tiers.at(-1);
        if (last?.[0]?.priority === channel.priority) last.push(channel);
        else tiers.push([channel]);
      }
    }
  }
  return abilities;
}

function getOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const present = map.get(key);
  if (present !== undefined) return present;
  const made = make();
  map.set(key, made);
  return made;
}
