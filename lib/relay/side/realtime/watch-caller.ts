import { logger } from "@/lib/logger";
import { KeyLookupsBusy, type KeyOwner } from "@/lib/snapshot/key-cache";
import type { SnapshotStore } from "@/lib/snapshot/store";
import { type Caller, checkCaller, checkOperation, lookUpOf, readKey } from "../../admission/authenticate";
import { RelayError } from "../../base/relay-error";
import type { Exchange } from "../../http/exchange";
import { effectiveGroup, type Route } from "../../routing/route";

type Watched = { intake: { model: string }; route: Route };

/**
 * Says why a caller may not go on, null = it may: its key was revoked or has expired, its user banned, the model, the group or sessions
 * taken away from it. The key is known from memory, until a notification drops it.
 */
export function watchCaller(
  { snapshot }: { snapshot: SnapshotStore },
  exchange: Exchange,
  caller: Caller,
  { intake, route }: Watched,
): () => RelayError | null {
  const lookUp = lookUpOf(readKey(exchange.request, exchange.clientDialect), snapshot);
  let known: KeyOwner | null = caller;
  let isReading = false;

  function read(): void {
    const found = lookUp();
    if (!(found instanceof Promise)) {
      known = found;
      return;
    }
    isReading = true;
    found
      .then((owner) => {
        known = owner;
      })
      .catch((error: unknown) => {
        // While the database is away the session goes on.
        if (error instanceof KeyLookupsBusy) return;
        logger.warn({ err: error, request: exchange.id }, "a session's key could not be read");
      })
      .finally(() => {
        isReading = false;
      });
  }

  return () => {
    if (!isReading) read();
    if (known === null) return REVOKED;
    const now: Caller = { ...caller, ...known };
    try {
      checkCaller(now, exchange.clientIp, Date.now() / 1_000);
      checkOperation(now, "realtime");
      if (effectiveGroup(now, snapshot.current()) !== route.group) return REVOKED;
    } catch (error) {
      if (error instanceof RelayError) return error;
      throw error;
    }
    const { token } = now;
    return token.modelLimitsEnabled && !token.models.has(intake.model) ? NOT_ALLOWED : null;
  };
}

const REVOKED = new RelayError("invalid_api_key", "the API key is no longer valid for this session");
const NOT_ALLOWED = new RelayError("model_not_allowed", "the API key may no longer use the model of this session", {
  param: "model",
});
