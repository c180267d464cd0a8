import type { Sql } from "@/db/client";
import { sha256Hex } from "@/lib/crypto";
import { CHANNEL_STATUS } from "@/lib/row-status";
import type { Snapshot, SnapshotChannel } from "@/lib/snapshot/store";
import { databaseAway, RelayError } from "../../base/relay-error";
import { findObjects, type Owner } from "../../base/upstream-objects/queries";
import { isObjectId } from "../../wire/canonical/upstream-object";
import type { StoredRoute } from "./routes";

/** A channel, and the one of its keys that made something. */
export type Account = { channel: SnapshotChannel; key: string };

const OWN_ID = /^resp_weir_/;

/** Who has what a user names. What another user made is as unknown as what nobody made. Rejects with a RelayError. */
export async function findAccount(
  sql: Sql,
  { channels }: Pick<Snapshot, "channels">,
  owner: Owner,
  route: Pick<StoredRoute, "kind" | "id">,
): Promise<Account> {
  const { kind, id } = route;
  if (!isObjectId(id) || OWN_ID.test(id)) throw unknownObject(route);
  const [found] = await findObjects(sql, owner, [{ kind, id }]).catch((error: unknown) => {
    throw databaseAway({ what: "stored objects could not be looked up", cause: error });
  });
  if (!found) throw unknownObject(route);
  return accountOf(channels.get(found.channelId), found.keyHash);
}

function accountOf(channel: SnapshotChannel | undefined, keyHash: string): Account {
  if (!channel) throw unavailable("stored_object_gone", "the upstream that has it is not there any more");
  if (channel.status !== CHANNEL_STATUS.enabled)
    throw unavailable("stored_object_resting", "the upstream that has it is switched off");
  const key = keyWith(channel, keyHash);
  if (key === null) throw unavailable("stored_object_gone", "the account that has it is not in use any more");
  return { channel, key };
}

/** The one of the channel's keys; null = it has it no longer. */
export function keyWith({ key, keys }: Pick<SnapshotChannel, "key" | "keys">, keyHash: string): string | null {
  return [key, ...(keys ?? []).map((one) => one.key)].find((one) => sha256Hex(one) === keyHash) ?? null;
}

/** In OpenAI's words, which its clients know. */
export function unknownObject({ kind, id }: Pick<StoredRoute, "kind" | "id">): RelayError {
  const shown = isObjectId(id) ? id.slice(0, 100) : "";
  const why =
    kind === "response" && OWN_ID.test(id) ? " It was translated for another upstream, and nothing keeps it." : "";
  return new RelayError("not_found", `${NAMES[kind](shown)}${why}`, { param: PARAMS[kind], code: null });
}

const NAMES: Readonly<Record<StoredRoute["kind"], (id: string) => string>> = {
  response: (id) => `Response with id '${id}' not found.`,
  file: (id) => `No such File object: ${id}`,
  batch: (id) => `No batch found with id '${id}'.`,
};

const PARAMS: Readonly<Record<StoredRoute["kind"], string | null>> = { response: null, file: "id", batch: null };

function unavailable(refusal: "stored_object_gone" | "stored_object_resting", message: string): RelayError {
  return new RelayError(refusal, message);
}
