import type { IncomingMessage } from "node:http";
import type { Sql } from "@/db/client";
import { logger } from "@/lib/logger";
import type { OperationId } from "@/lib/operations";
import { TOKEN_STATUS } from "@/lib/row-status";
import { isExpired } from "@/lib/snapshot/key-use";
import type { SnapshotStore } from "@/lib/snapshot/store";
import { markTokenExpired } from "@/lib/token/state-commands";
import type { Exchange } from "../http/exchange";
import { type Caller, checkAsking, checkCaller, checkOperation, findCaller } from "./authenticate";

/** What the key has to be allowed for; null = any key will do, "standing" = one that is used up, too. */
export type Purpose = OperationId | null | "standing";

type Authenticating = {
  sql: Sql;
  snapshot: SnapshotStore;
  /** Identifies callers without an API key; null = look for a key. */
  identify?: (request: IncomingMessage) => Caller | null;
};

/** Throws or rejects with RelayError. */
export function authenticate(
  { identify, snapshot, sql }: Authenticating,
  exchange: Exchange,
  purpose: Purpose,
): Caller | Promise<Caller> {
  const found = identify?.(exchange.request) ?? findCaller(exchange.request, exchange.clientDialect, snapshot);
  if (found instanceof Promise) return found.then((caller) => checked(caller, exchange, sql, purpose));
  return checked(found, exchange, sql, purpose);
}

function checked(caller: Caller, exchange: Exchange, sql: Sql, purpose: Purpose): Caller {
  exchange.refusalCaller = caller;
  exchange.owner = caller;
  const nowSeconds = Date.now() / 1000;
  if (caller.token.status === TOKEN_STATUS.enabled && isExpired(caller.token, nowSeconds)) {
    markTokenExpired(sql, caller.token).catch((error: unknown) =>
      logger.error({ err: error, request: exchange.id }, "a key could not be marked as expired"),
    );
  }
  if (purpose === "standing") {
    checkAsking(caller, exchange.clientIp, nowSeconds);
    return caller;
  }
  checkCaller(caller, exchange.clientIp, nowSeconds);
  checkOperation(caller, purpose);
  return caller;
}
