import type { Sql } from "@/db/client";
import { sha256Hex } from "@/lib/crypto";
import { CHANNEL_STATUS } from "@/lib/row-status";
import type { Snapshot, SnapshotChannel } from "@/lib/snapshot/store";
import type { Caller } from "../admission/authenticate";
import { type Quote, quoteRequest } from "../admission/quote";
import type { RefusalName } from "../base/refusals/refusal-table";
import { databaseAway, RelayError } from "../base/relay-error";
import { type FoundObject, findObjects, type Owner, ownerOf } from "../base/upstream-objects/queries";
import type { Intake } from "../operations/operation";
import type { Route } from "../routing/route";
import { isObjectId, type ObjectKind, type ObjectReference } from "../wire/canonical/upstream-object";
import { tokensOfFile } from "../wire/dialects/common/request-fields";

/** Whether the request builds on something that only the account has which made it. */
export function isBound({ references, isBound: isBoundItself }: Intake): boolean {
  return isBoundItself === true || (references !== undefined && references.length > 0);
}

/** What is offered for a request: its model, its channels, and what it can cost. */
type Offered = { intake: Intake; route: Route; quote: Quote };

/** Narrows the offer to the channel and key that have what the request builds on. Rejects with a RelayError. */
export async function bindOffer(sql: Sql, caller: Caller, offer: Offered, snapshot: Snapshot): Promise<Offered> {
  if (offer.intake.bind) {
    const { intake, ...account } = await offer.intake.bind(sql, ownerOf(caller), snapshot.options);
    return { ...offer, intake, route: bindRoute(offer.route, account, snapshot, taskUnavailable) };
  }
  const found = await findStored(sql, ownerOf(caller), offer.intake.references ?? []);
  const route = bindRoute(offer.route, found[0], snapshot, unavailable);
  const { need, model, isStream } = offer.intake;
  if (!need.hidden) return { ...offer, route };
  const known = { ...need, hidden: { ...need.hidden, storedTokens: storedTokens(found) } };
  return { ...offer, route, quote: quoteRequest({ model, isStream, need: known }, route, caller.user, snapshot) };
}

/**
 * The most that the model reads of what is stored; null = that is not known of all of it. An item counts as the answer that it
 * belongs to, and each by itself, because nothing tells that two are of one answer.
 */
function storedTokens(found: readonly FoundObject[]): number | null {
  let sum = 0;
  for (const { kind, tokens: ofAnswer, name, bytes } of found) {
    const tokens = kind === "file" ? tokensOfFile({ name, bytes }) : ofAnswer;
    if (tokens === null) return null;
    sum += tokens;
  }
  return sum;
}

type Found = readonly [FoundObject, ...FoundObject[]];

/** What is stored, all of it in one account. What another user made is as unknown as what nobody made. */
async function findStored(sql: Sql, owner: Owner, references: readonly ObjectReference[]): Promise<Found> {
  const impossible = references.find(({ id, isOwn }) => isOwn || !isObjectId(id));
  if (impossible) throw unknownObject(impossible);
  const found = await findObjects(sql, owner, references).catch((error: unknown) => {
    throw databaseAway({ what: "stored objects could not be looked up", cause: error });
  });
  const known = new Set(found.map(({ kind, id }) => `${kind} ${id}`));
  const unknown = references.find(({ kind, id }) => !known.has(`${kind} ${id}`));
  const [first, ...others] = found;
  if (unknown || !first) throw unknownObject(unknown ?? references[0]);
  if (others.some(({ channelId, keyHash }) => channelId !== first.channelId || keyHash !== first.keyHash)) {
    throw unavailable("what the request builds on is stored at different upstreams");
  }
  return [first, ...others];
}

const NAMES: Readonly<Record<ObjectKind, string>> = {
  response: "Previous response",
  item: "Item",
  conversation: "Conversation",
  file: "File",
  batch: "Batch",
};

const CODES: Readonly<Record<ObjectKind, RefusalName>> = {
  response: "previous_response_not_found",
  item: "item_not_found",
  conversation: "conversation_not_found",
  file: "file_not_found",
  batch: "batch_not_found",
};

/** In OpenAI's words, which its clients know. */
function unknownObject(reference: ObjectReference | undefined): RelayError {
  const { kind, id, param, isOwn } = reference ?? NO_REFERENCE;
  const named = isObjectId(id) ? `${NAMES[kind]} with id '${id.slice(0, 100)}'` : NAMES[kind];
  const why = isOwn ? " It was translated for another upstream, and nothing keeps it." : "";
  const message = `${named} not found.${why} Send the whole conversation as input instead.`;
  return new RelayError(CODES[kind], message, { param });
}

const NO_REFERENCE: ObjectReference = { kind: "response", id: "", param: "previous_response_id", isOwn: false };

function unavailable(why: string, isResting = false): RelayError {
  const message = `${why}; send the whole conversation as input instead`;
  const refusal = isResting ? "stored_object_resting" : "stored_object_unavailable";
  return new RelayError(refusal, message, { param: "previous_response_id" });
}

function taskUnavailable(why: string, isResting = false): RelayError {
  const refusal = isResting ? "task_channel_resting" : "get_channel_info_failed";
  return new RelayError(refusal, `get_channel_info_failed: ${why}`);
}

type Account = Pick<FoundObject, "channelId" | "keyHash">;
type Unavailable = (why: string, isResting?: boolean) => RelayError;

/** The route with only this account in it. Throws RelayError. */
function bindRoute(
  route: Route,
  { channelId, keyHash }: Account,
  { channels }: Snapshot,
  unavailableFor: Unavailable,
): Route {
  const channel = route.tiers.flat().find(({ id }) => id === channelId);
  if (!channel) throw notInRoute(channels.get(channelId), unavailableFor);
  const bound = withKey(channel, keyHash);
  if (!bound) throw unavailableFor("the account that stored it is not in use any more");
  return { ...route, tiers: [[bound]], isPinned: true };
}

function notInRoute(channel: SnapshotChannel | undefined, unavailableFor: Unavailable): RelayError {
  if (!channel) return unavailableFor("the upstream that stored it is not there any more");
  if (channel.status !== CHANNEL_STATUS.enabled)
    return unavailableFor("the upstream that stored it is switched off", true);
  return unavailableFor("the upstream that stored it does not serve this model here");
}

/** The channel with that one of its keys; null = it has it no longer. */
function withKey(channel: SnapshotChannel, keyHash: string): SnapshotChannel | null {
  if (keyHash === "") return channel;
  if (channel.keys === null) return sha256Hex(channel.key) === keyHash ? channel : null;
  const key = channel.keys.find((one) => sha256Hex(one.key) === keyHash);
  return key ? { ...channel, keys: [key] } : null;
}
