import type { Sql } from "@/db/client";
import type { LeaseBook } from "@/lib/billing/lease";
import type { SnapshotStore } from "@/lib/snapshot/store";
import type { Caller } from "../admission/authenticate";
import { reserve } from "../admission/reserve";
import type { BodyShare } from "../base/body-budget";
import { findTopLevelText } from "../base/json-splice";
import type { BodyDeadline } from "../http/bodies/body-deadline";
import { checkJson, readBody } from "../http/bodies/read-body";
import type { Exchange } from "../http/exchange";
import type { ReceivedBody } from "../http/forms/form";
import { isForm, readForm } from "../http/forms/read-form";
import type { Spool } from "../http/forms/spool";
import type { Operation, OperationId } from "../operations/operation";
import { checkModel } from "./first-offer";

export type Receiving = {
  sql: Sql;
  leaseBook: LeaseBook;
  snapshot: SnapshotStore;
  bodyBytesMax: number;
  bodyDeadline: BodyDeadline;
  spool: Spool;
};

/** Up to here a body is simply read: most arrive with their headers. */
const SMALL_BODY = 65_536;
const NO_START = Buffer.alloc(0);
/** Whether there is anything to pay with. */
const PROBE = { amount: 1, least: 1, fair: 1, most: 1 };

/** Reads the body, and refuses JSON that would cost too much to parse. A large one only from a caller who can pay and for a model that is there, as far as its start tells. */
export async function receiveJson(
  { sql, leaseBook, snapshot, bodyBytesMax: bytesMax, bodyDeadline: deadline }: Receiving,
  exchange: Exchange,
  caller: Caller,
  share: BodyShare,
  operation: OperationId,
): Promise<Buffer> {
  const isSmall = isSmallBody(exchange);
  if (!isSmall) leaseBook.release(await reserve(sql, leaseBook, caller, PROBE));
  const onStart = (first: Buffer): void => {
    // Where the path names the model, the body may have another name of it.
    const model = exchange.clientDialect.pathWithModel ? undefined : findTopLevelText(first, "model");
    if (model === undefined) return;
    exchange.model = model;
    checkModel(exchange.clientDialect, caller, model, first, snapshot.current(), operation);
  };
  const body = await readBody(exchange, { bytesMax, deadline, share, onStart: isSmall ? null : onStart });
  exchange.bodyValues = checkJson(body, share);
  return body;
}

/** The same for an operation that may take forms. Without a promise of its own: most requests are JSON. */
export function receiveBody(
  receiving: Receiving,
  exchange: Exchange,
  caller: Caller,
  share: BodyShare,
  { id, readForm: takesForms }: Pick<Operation, "id" | "readForm">,
): Promise<ReceivedBody> {
  if (!takesForms || !isForm(exchange.request.headers["content-type"])) {
    return receiveJson(receiving, exchange, caller, share, id);
  }
  return receiveForm(receiving, exchange, caller, share, id);
}

async function receiveForm(
  receiving: Receiving,
  exchange: Exchange,
  caller: Caller,
  share: BodyShare,
  id: OperationId,
): Promise<ReceivedBody> {
  const { sql, leaseBook, snapshot, spool, bodyBytesMax: bytesMax, bodyDeadline: deadline } = receiving;
  if (!isSmallBody(exchange)) leaseBook.release(await reserve(sql, leaseBook, caller, PROBE));
  const onModel = (model: string): void => {
    exchange.model = model;
    checkModel(exchange.clientDialect, caller, model, NO_START, snapshot.current(), id);
  };
  return readForm(exchange, { bytesMax, deadline, share, spool, onModel });
}

function isSmallBody({ request }: Exchange): boolean {
  return Number(request.headers["content-length"]) <= SMALL_BODY;
}
