import type { IncomingMessage } from "node:http";
import { isDatabaseTrouble } from "@/lib/billing/sqlstate";
import type { OperationId } from "@/lib/operations";
import { TOKEN_STATUS } from "@/lib/row-status";
import {
  type GivenKey,
  importedHash,
  type KeyRefusal,
  type KeyUse,
  ownHash,
  splitKey,
  toKeyUse,
  whyRefused,
} from "@/lib/snapshot/key-use";
import { type CachedToken, KeyLookupsBusy, type KeyOwner, type SnapshotStore } from "@/lib/snapshot/store";
import { databaseAway, RelayError } from "../base/relay-error";
import type { ClientDialect } from "../wire/dialects/dialect";

/** The user and token of a request. */
export type Caller = KeyUse;

export const UNKNOWN_KEY = "invalid_api_key";

/** The key as found by the client's dialect. */
export function readKey(
  { headers, url = "" }: Pick<IncomingMessage, "headers" | "url">,
  dialect: ClientDialect,
): GivenKey {
  return splitKey((dialect.readKey({ headers, url }) || readGoogleKey(headers, url)).trim());
}

/** A look-up that can be repeated: as a key of Weir's own, and if it is none, as an imported one. */
export function lookUpOf(given: GivenKey, store: SnapshotStore): () => ReturnType<SnapshotStore["findKey"]> {
  const hash = ownHash(given);
  let imported: string | null | undefined;
  const ofImported = () => {
    imported ??= importedHash(given);
    return imported;
  };
  return () => store.findKey(hash, ofImported);
}

/** Paths where Google's clients send the key in their own header or in the query. */
const GOOGLE_PATH = /^\/(v1beta|v1\/models|(v1\/)?key)(\/|\?|$)/;

function readGoogleKey(headers: IncomingMessage["headers"], url: string): string {
  if (!GOOGLE_PATH.test(url)) return "";
  const given = headers["x-goog-api-key"];
  if (typeof given === "string" && given !== "") return given;
  const mark = url.indexOf("?");
  return new URLSearchParams(mark === -1 ? "" : url.slice(mark)).get("key") ?? "";
}

/**
 * Finds the token and user of the request's key; synchronously when the key is cached. Throws or rejects with 401 when
 * it is invalid.
 */
export function findCaller(
  request: IncomingMessage,
  dialect: ClientDialect,
  store: SnapshotStore,
): Caller | Promise<Caller> {
  const given = readKey(request, dialect);
  const { key, pinnedChannel } = given;
  if (key === "") {
    throw new RelayError("missing_api_key", {});
  }
  const found = lookUpOf(given, store)();
  if (found instanceof Promise) return found.then((owner) => callerOf(owner, pinnedChannel), refuseForNow);
  return callerOf(found, pinnedChannel);
}

function refuseForNow(error: unknown): never {
  if (isDatabaseTrouble(error)) {
    throw databaseAway({ what: "a key could not be looked up", cause: error });
  }
  if (!(error instanceof KeyLookupsBusy)) throw error;
  const message = "too many keys are being looked up, please try again";
  throw new RelayError("overloaded", message, { retryAfter: 1 });
}

function callerOf(owner: KeyOwner | null, pinnedChannel: string | null): Caller {
  if (!owner) throw new RelayError(UNKNOWN_KEY, {});
  return toKeyUse(owner, pinnedChannel);
}

/**
 * Checks token and user (contract §4.3). The rate limits (check 10) come later, so that someone using a key from a
 * forbidden address cannot use up its owner's limits. Throws a RelayError.
 */
export function checkCaller(caller: Caller, clientIp: string, nowSeconds: number): void {
  const refusal = whyRefused(caller, clientIp, nowSeconds);
  if (refusal !== null) throw REFUSALS[refusal](caller.token, clientIp);
}

/** As `checkCaller`, of what asks for nothing but what is left: a key that is used up may hear that it is. */
export function checkAsking(caller: Caller, clientIp: string, nowSeconds: number): void {
  const { token } = caller;
  const isUsedUp = token.status === TOKEN_STATUS.exhausted;
  const asked = isUsedUp ? { ...caller, token: { ...token, status: TOKEN_STATUS.enabled } } : caller;
  checkCaller(asked, clientIp, nowSeconds);
}

const REFUSALS: Record<KeyRefusal, (token: CachedToken, address: string) => RelayError> = {
  exhausted: ({ keyHint }) => new RelayError("api_key_used_up", { key: keyHint }),
  expired: () => new RelayError("api_key_expired", {}),
  disabled: () => new RelayError("api_key_disabled", {}),
  banned: () => new RelayError("user_banned", {}),
  channel: () => new RelayError("channel_not_allowed", {}),
  address: (_token, address) => new RelayError("ip_not_allowed", { address }),
};

/** Throws 403 when the token is limited to other operations. Null = what any token may ask, such as the list of models. */
export function checkOperation({ token }: Pick<Caller, "token">, operation: OperationId | null): void {
  if (operation === null || token.operations.size === 0 || token.operations.has(operation)) return;
  throw new RelayError("operation_not_allowed", { operation });
}
