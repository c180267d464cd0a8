import type { IncomingMessage } from "node:http";
import { isDatabaseTrouble } from "@/lib/billing/sqlstate";
import { ROLE } from "@/lib/context";
import { importedKeyHash, sha256Hex } from "@/lib/crypto";
import { isHashOnly } from "@/lib/key-hint";
import type { OperationId } from "@/lib/operations";
import { TOKEN_STATUS, USER_STATUS } from "@/lib/row-status";
import type { UserRow } from "@/lib/snapshot/queries";
import { type CachedToken, KeyLookupsBusy, type KeyOwner, type SnapshotStore } from "@/lib/snapshot/store";
import { isListed } from "../client-address";
import type { CallerDialect } from "../dialects/dialect";
import { databaseAway, RelayError } from "../relay-error";

/** The user and token of a request. */
export type Caller = {
  token: CachedToken;
  user: UserRow;
  /** The channel requested by an administrator: the part of the key after the hyphen that follows the key itself. */
  pinnedChannel: string | null;
};

export const UNKNOWN_KEY = "invalid_api_key";

const KEY = /^[0-9A-Za-z]{1,128}$/;

/** Keys of other systems of which only a hash was imported: as they are given, hyphens and all. */
const WHOLE_KEY = /^sk-[\x21-\x7e]{1,253}$/;

/** `whole`: the text as it was given. */
export type GivenKey = { key: string; pinnedChannel: string | null; whole: string };

/** Splits `sk-<key>-<channel>`, with or without "sk-", as found by the client's dialect (contract §4.2). */
export function readKey(
  { headers, url = "" }: Pick<IncomingMessage, "headers" | "url">,
  dialect: CallerDialect,
): GivenKey {
  const text = (dialect.readKey({ headers, url }) || readGoogleKey(headers, url)).trim();
  const bare = text.startsWith("sk-") ? text.slice(3) : text;
  const hyphen = bare.indexOf("-");
  if (hyphen === -1) return { key: bare, pinnedChannel: null, whole: text };
  const next = bare.indexOf("-", hyphen + 1);
  const pinnedChannel = bare.slice(hyphen + 1, next === -1 ? undefined : next);
  return { key: bare.slice(0, hyphen), pinnedChannel, whole: text };
}

/** A look-up that can be repeated: as a key of Weir's own, and if it is none, as an imported one. */
export function lookUpOf({ key, whole }: GivenKey, store: SnapshotStore): () => ReturnType<SnapshotStore["findKey"]> {
  const hash = KEY.test(key) ? sha256Hex(key) : null;
  let imported: string | null | undefined;
  const importedHash = () => {
    imported ??= WHOLE_KEY.test(whole) ? importedKeyHash(sha256Hex(whole)) : null;
    return imported;
  };
  return () => store.findKey(hash, importedHash);
}

/** Paths where Google's clients send the key in their own header or in the query. */
const GOOGLE_PATH = /^\/(v1beta|v1\/models)(\/|\?|$)/;

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
  dialect: CallerDialect,
  store: SnapshotStore,
): Caller | Promise<Caller> {
  const given = readKey(request, dialect);
  const { key, pinnedChannel } = given;
  if (key === "") {
    throw new RelayError(401, "no API key was given", { type: "invalid_request_error", code: "missing_api_key" });
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
  throw new RelayError(503, message, { code: "overloaded", retryAfter: 1 });
}

function callerOf(owner: KeyOwner | null, pinnedChannel: string | null): Caller {
  if (!owner) throw invalidKey("invalid API key");
  // What follows a hyphen in an imported key is a part of the key.
  return { token: owner.token, user: owner.user, pinnedChannel: isHashOnly(owner.token) ? null : pinnedChannel };
}

function invalidKey(message: string): RelayError {
  return new RelayError(401, message, { code: UNKNOWN_KEY });
}

/**
 * Checks token and user in the order of contract §4.3 (checks 3 to 9 and 11). The rate limits (check 10) come later, so
 * that someone using a key from a forbidden address cannot use up its owner's limits. Throws a RelayError.
 */
export function checkCaller({ token, user, pinnedChannel }: Caller, clientIp: string, nowSeconds: number): void {
  if (token.status === TOKEN_STATUS.exhausted)
    throw invalidKey(`the API key's spending limit is used up (${token.keyHint})`);
  if (token.status === TOKEN_STATUS.expired) throw invalidKey("the API key has expired");
  if (token.status !== TOKEN_STATUS.enabled) throw invalidKey("the API key is not available");
  if (isExpired(token, nowSeconds)) throw invalidKey("the API key has expired");
  if (user.status !== USER_STATUS.enabled) throw new RelayError(403, "the user is banned", { code: "user_banned" });
  if (pinnedChannel !== null && user.role < ROLE.admin) {
    throw new RelayError(403, "ordinary users may not specify a channel", { code: "channel_not_allowed" });
  }
  const isOutside = token.addresses.length > 0 && !isListed(clientIp, token.addresses);
  if (isOutside || isListed(clientIp, token.blockedAddresses)) {
    throw new RelayError(403, "this address is not allowed for the API key", { code: "ip_not_allowed" });
  }
}

/** Throws 403 when the token is limited to other operations. Null = what any token may ask, such as the list of models. */
export function checkOperation({ token }: Pick<Caller, "token">, operation: OperationId | null): void {
  if (operation === null || token.operations.size === 0 || token.operations.has(operation)) return;
  throw new RelayError(403, `the API key may not be used for ${operation}`, { code: "operation_not_allowed" });
}

/** Whether the expiry time has passed, whatever the token's status is. */
export function isExpired(token: { expiredTime: number }, nowSeconds: number): boolean {
  return token.expiredTime !== -1 && token.expiredTime <= nowSeconds;
}
