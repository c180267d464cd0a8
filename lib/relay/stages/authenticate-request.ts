import type { IncomingMessage } from "node:http";
import type { Sql } from "@/db/client";
import { logger } from "@/lib/logger";
import type { OperationId } from "@/lib/operations";
import { TOKEN_STATUS } from "@/lib/row-status";
import { isExpired } from "@/lib/snapshot/key-use";
import type { SnapshotStore } from "@/lib/snapshot/store";
import { markTokenExpired } from "@/lib/token/state-commands";
import type { Exchange } from "../exchange";
import { type Caller, checkCaller, checkOperation, findCaller } from "./authenticate";

type Authenticating = {
  sql: Sql;
  snapshot: SnapshotStore;
  /** Identifies callers without an API key; null = look for a key. */
  identify?: (request: IncomingMessage) => Caller | null;
};

/** `operation`: what the key has to be allowed for; null = any key will do. Throws or rejects with RelayError. */
export function authenticate(
  { identify, snapshot, sql }: Authenticating,
  exchange: Exchange,
  operation: OperationId | null,
): Caller | Promise<Caller> {
  const found = identify?.(exchange.request) ?? findCaller(exchange.request, exchange.caller, snapshot);
  if (found instanceof Promise) return found.then((caller) => checked(caller, exchange, sql, operation));
  return checked(found, exchange, sql, operation);
}

function checked(caller: Caller, exchange: Exchange, sql: Sql, operation: OperationId | null): Caller {
  exchange.accountable = caller;
  exchange.owner = caller;
  const nowSeconds = Date.now() / 1000;
  if (caller.token.status === TOKEN_STATUS.enabled && isExpired(caller.token, nowSeconds)) {
    markTokenExpired(sql, caller.token).catch((error: unknown) =>
      logger.error({ err: error, request: exchange.id }, "a key could not be marked as expired"),
    );
  }
  checkCaller(caller, exchange.clientIp, nowSeconds);
  checkOperation(caller, operation);
  return caller;
}
