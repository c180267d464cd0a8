import type { Sql } from "@/db/client";
import type { LeaseBook } from "@/lib/billing/lease";
import type { SnapshotStore } from "@/lib/snapshot/store";
import type { Exchange } from "../exchange";
import { findTopLevelText } from "../json-splice";
import type { BodyShare } from "../limits/body-budget";
import type { BodyDeadline } from "../limits/body-deadline";
import type { OperationId } from "../operations/operation";
import type { Caller } from "./authenticate";
import { checkModel } from "./model-fallback";
import { readBody } from "./read-body";
import { reserve } from "./reserve";

export type Receiving = {
  sql: Sql;
  leaseBook: LeaseBook;
  snapshot: SnapshotStore;
  bodyBytesMax: number;
  bodyDeadline: BodyDeadline;
};

/** Up to here a body is simply read: most arrive with their headers. */
const SMALL_BODY = 65_536;
/** Whether there is anything to pay with. */
const PROBE = { amount: 1, least: 1, fair: 1, most: 1 };

/** Reads the body. A large one only from a caller who can pay and for a model that is there, as far as its start tells. */
export async function receiveBody(
  { sql, leaseBook, snapshot, bodyBytesMax: bytesMax, bodyDeadline: deadline }: Receiving,
  exchange: Exchange,
  caller: Caller,
  share: BodyShare,
  operation: OperationId,
): Promise<Buffer> {
  const isSmall = Number(exchange.request.headers["content-length"]) <= SMALL_BODY;
  if (isSmall) return readBody(exchange, { bytesMax, deadline, share, onStart: null });
  const probe = await reserve(sql, leaseBook, caller, PROBE);
  leaseBook.release(probe);
  const onStart = (first: Buffer): void => {
    // Where the path names the model, the body may have another name of it.
    const model = exchange.caller.pathWithModel ? undefined : findTopLevelText(first, "model");
    if (model !== undefined) checkModel(exchange.caller, caller, model, first, snapshot.current(), operation);
  };
  return readBody(exchange, { bytesMax, deadline, share, onStart });
}
