import { CHANNEL_STATUS } from "@/lib/row-status";
import type { KeyUse as Caller } from "@/lib/snapshot/key-use";
import type { Snapshot, SnapshotChannel, Tier } from "@/lib/snapshot/store";
import { abilityName, tiersFor } from "@/lib/snapshot/tiers-for";
import { RelayError } from "../base/relay-error";
import type { OperationId } from "../operations/operation";
import { tiersServing } from "../providers/serves-type";

/** The channels that may serve a request. */
export type Route = {
  group: string;
  groupRatio: number;
  /** Highest priority first. */
  tiers: readonly Tier[];
  /** The client named the channel, so there is no fallback. */
  isPinned: boolean;
};

export const NO_CHANNEL = "no_available_channel";
export const UNKNOWN_MODEL = "model_not_found";
/** There are channels, but none whose type has the endpoint. */
const NOT_SERVED = "invalid_api_type";
const NOBODY: ReadonlySet<unknown> = new Set([NO_CHANNEL, UNKNOWN_MODEL, NOT_SERVED]);

/** The group whose channels and ratio apply. Throws 403 when the token's group is not allowed (checks 13, 14). */
export function effectiveGroup({ token, user }: Caller, { options }: Snapshot): string {
  if (token.group === "" || token.group === user.group) return user.group;
  if (!Object.hasOwn(options.UserUsableGroups, token.group)) {
    throw new RelayError("group_disabled", { group: token.group });
  }
  if (!Object.hasOwn(options.GroupRatio, token.group)) {
    throw new RelayError("group_retired", { group: token.group });
  }
  return token.group;
}

/**
 * Checks group, channel and model in the order of contract §4.3 (13 to 18), and which channels serve such requests.
 * Throws a RelayError.
 */
export function findRoute(caller: Caller, model: string, snapshot: Snapshot, operation: OperationId): Route {
  const group = effectiveGroup(caller, snapshot);
  const pinned = caller.pinnedChannel === null ? null : findPinned(caller.pinnedChannel, snapshot);
  const { token } = caller;
  if (token.modelLimitsEnabled && !token.models.has(model)) {
    throw new RelayError("model_not_allowed", { model }, { param: "model" });
  }
  const groupRatio = snapshot.options.GroupRatio[group] ?? 1;
  if (pinned && tiersServing([[pinned]], operation).length === 0) throw notServed(model, operation);
  if (pinned) return { group, groupRatio, tiers: [[pinned]], isPinned: true };
  const tiers = tiersFor(snapshot.abilities.get(group), model);
  if (tiers.length === 0) throw nobodyHas(model, group, snapshot);
  const serving = tiersServing(tiers, operation);
  if (serving.length === 0) throw notServed(model, operation);
  return { group, groupRatio, tiers: serving, isPinned: false };
}

/**
 * The route of a request that names a file in an upstream's own storage (`field`; null = it names none), which is read with
 * the rights of the channel's account: only channels whose operator allows it are left. Throws RelayError.
 */
export function routeForStored(route: Route, field: string | null | undefined): Route {
  if (!field) return route;
  const tiers = route.tiers
    .map((tier) => tier.filter(({ setting }) => setting.allowsStoredFiles))
    .filter((tier) => tier.length > 0);
  if (tiers.length > 0) return { ...route, tiers };
  const message = `${field} names a file in the upstream's own storage, which is not read here; send the file itself, or a public https address`;
  throw new RelayError("stored_file_not_allowed", message, { param: field });
}

/** Clients do not try again after 404. A channel that the system has disabled may be back, so that is another matter. */
function nobodyHas(model: string, group: string, snapshot: Snapshot): RelayError {
  const having = channelsWith(model, snapshot);
  if (having.length === 0) return new RelayError(UNKNOWN_MODEL, { model }, { param: "model" });
  const offering = having.filter(({ groups }) => groups.includes(group));
  const isByHand = offering.every(({ status }) => status === CHANNEL_STATUS.disabled);
  const refusal = offering.length === 0 ? "model_not_in_group" : isByHand ? "model_switched_off" : NO_CHANNEL;
  return new RelayError(refusal, { model, group }, { param: "model" });
}

/** Whether any channel of the group has the model, be it disabled: else its failing says nothing of the model. */
export function isOffered(model: string, group: string, snapshot: Snapshot): boolean {
  return channelsWith(model, snapshot).some(({ groups }) => groups.includes(group));
}

/** The channels that have a model, in whatever group and state. */
function channelsWith(model: string, { channels }: Snapshot): SnapshotChannel[] {
  const names = [model, abilityName(model)];
  return [...channels.values()].filter(({ models }) => names.some((name) => models.includes(name)));
}

function notServed(model: string, operation: OperationId): RelayError {
  return new RelayError(NOT_SERVED, { model, operation }, { param: "model" });
}

export function isNoChannel(error: unknown): error is RelayError {
  return error instanceof RelayError && NOBODY.has(error.wire.code);
}

function findPinned(text: string, { channels }: Snapshot): SnapshotChannel {
  if (!/^\d{1,9}$/.test(text)) throw new RelayError("invalid_channel_id", "invalid channel id");
  const channel = channels.get(Number(text));
  if (!channel) throw new RelayError("invalid_channel_id", `the channel ${Number(text)} does not exist`);
  if (channel.status !== CHANNEL_STATUS.enabled) throw new RelayError("channel_disabled", "the channel is disabled");
  return channel;
}
