import { createHash } from "node:crypto";
import type { Sql } from "@/db/client";
import type { Settlement } from "@/lib/billing/types";
import { logger } from "@/lib/logger";
import type { Caller } from "../../admission/authenticate";
import { ArrayStream } from "../../answers/array-stream";
import type { RefusalName } from "../../base/refusals/refusal-table";
import { databaseAway, RelayError } from "../../base/relay-error";
import type { Delivery } from "../../http/delivery";
import type { Exchange, Kept } from "../../http/exchange";
import { Form, type ReceivedBody } from "../../http/forms/form";
import { type ClaimedKey, claimKey, freeKey, keepAnswer, type StoredAnswer } from "./commands";

/** Longer answers are not kept. */
const BYTES_MAX = 1_048_576;
const KEY = /^[\x21-\x7e]{1,255}$/;

/** The part of one request in its Idempotency-Key. */
export type Claim = {
  /** The answer of the request that came first; null = this is the first. */
  answer: StoredAnswer | null;
  /** Call it before anything is charged: from then on the key is not free again. The answer is to wait for the commit. */
  charge(settlement?: Pick<Settlement, "waitsForCommit">): void;
  /** Stores what was delivered; resolves when a repeat would get it. Never rejects. */
  keep(delivery: Delivery): Promise<void>;
  /** Gives the key back if nothing was charged. Never rejects. */
  leave(): Promise<void>;
};

type ClaimSettings = { sql: Sql; nodeId: string };

/** Null = the request has no key. Rejects with RelayError when it is a repeat that cannot be answered. */
export function claimOf(
  settings: ClaimSettings,
  exchange: Exchange,
  caller: Caller,
  body: ReceivedBody,
): null | Promise<Claim> {
  const key = exchange.request.headers["idempotency-key"];
  return key === undefined ? null : claim(settings, exchange, caller, body, String(key));
}

async function claim(
  { sql, nodeId }: ClaimSettings,
  exchange: Exchange,
  { user, token }: Caller,
  body: ReceivedBody,
  text: string,
): Promise<Claim> {
  if (!KEY.test(text))
    throw refuse("idempotency_invalid_key", "Idempotency-Key must have 1 to 255 visible ASCII characters");
  const key: ClaimedKey = { userId: user.id, tokenId: token.id, keyHash: sha256(text) };
  const bodyHash = sha256(exchange.request.url ?? "", "\n", body instanceof Form ? await body.digest() : body);
  const claimed = await claimKey(sql, { ...key, bodyHash, requestId: exchange.id, nodeId }).catch((error: unknown) => {
    throw databaseAway({ what: "an Idempotency-Key could not be claimed", cause: error });
  });
  if (claimed.state === "answered") return claimOn(sql, key, exchange, claimed.answer);
  if (claimed.state !== "first") throw REFUSALS[claimed.state]();
  exchange.recording = new Recording(BYTES_MAX);
  return claimOn(sql, key, exchange, null);
}

const REFUSALS = {
  running: () =>
    refuse("idempotency_request_running", "the first request with this Idempotency-Key is still running", 1),
  "other body": () => refuse("idempotency_key_reused", "this Idempotency-Key was used for another request"),
  unstored: () =>
    refuse(
      "idempotency_answer_not_kept",
      "the first request with this Idempotency-Key was charged, but its answer was not kept: it was interrupted or is " +
        "larger than 1 MB; use a new key to ask again",
    ),
  lost: () =>
    refuse(
      "idempotency_answer_lost",
      "the gateway stopped during the first request with this Idempotency-Key, which may have been charged; use a new " +
        "key to ask again",
    ),
  "too many": () => refuse("idempotency_too_many_keys", "too many Idempotency-Keys within 24 hours"),
};

function refuse(name: RefusalName, message: string, retryAfter = 0): RelayError {
  return new RelayError(name, message, { param: "Idempotency-Key", retryAfter });
}

function claimOn(sql: Sql, key: ClaimedKey, { id: request, recording }: Exchange, answer: StoredAnswer | null): Claim {
  let isCharged = answer !== null;
  let isKept = answer !== null;
  const quietly = (work: Promise<void>): Promise<void> =>
    work.catch((error: unknown) =>
      logger.error({ err: error, request }, "the answer of an Idempotency-Key was not kept"),
    );
  return {
    answer,
    charge(settlement) {
      isCharged = true;
      // The answer is stored next: with the database away that would fail, and repeats would be told that it still runs.
      if (settlement) settlement.waitsForCommit = true;
    },
    keep(delivery) {
      isKept = true;
      const isFree = delivery.outcome === "gone" && !delivery.wasSent;
      return quietly(isFree ? freeKey(sql, key) : keepAnswer(sql, key, answerOf(delivery, recording)));
    },
    async leave() {
      if (isKept) return;
      isKept = true;
      await quietly(isCharged ? keepAnswer(sql, key, null) : freeKey(sql, key));
    },
  };
}

/** Null = it is not whole, or too long to keep. */
function answerOf(delivery: Delivery, recording: Kept | null): Pick<StoredAnswer, "contentType" | "body"> | null {
  if (delivery.outcome !== "answered" && delivery.outcome !== "spent") return null;
  recording?.add(delivery.ending);
  const body = recording?.body() ?? null;
  return body && { contentType: delivery.contentType, body };
}

/** Sends the first request's answer again. */
export function replay(exchange: Exchange, answer: StoredAnswer): void {
  const { response, isGone, arrayStream } = exchange;
  if (isGone || response.headersSent) return;
  const { requestId } = answer;
  const isArray = arrayStream !== null && answer.contentType.includes("text/event-stream");
  const contentType = isArray ? ArrayStream.contentType : answer.contentType;
  const body = isArray ? arrayStream.end(answer.body) : answer.body;
  response.writeHead(200, {
    "content-length": body.length,
    "cache-control": "no-cache",
    ...exchange.head(contentType),
    ...exchange.idHeaders(requestId),
    "idempotent-replayed": "true",
  });
  response.end(body);
}

function sha256(...parts: (string | Buffer)[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest("hex");
}

const BYTES_FIRST = 16_384;

/** The bytes of an answer, as long as they are few enough to be kept. Copies them into one buffer, without an object for each piece. */
class Recording {
  private readonly bytesMax: number;
  /** Only the first `bytes` are filled; null = they were too many. */
  private kept: Buffer | null = Buffer.alloc(0);
  private bytes = 0;

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }

  add(part: Buffer): void {
    const { kept, bytes } = this;
    if (kept === null) return;
    const end = bytes + part.length;
    if (end > this.bytesMax) {
      this.kept = null;
      return;
    }
    // Faster than Buffer.copy for the few hundred bytes of a usual event.
    (end > kept.length ? this.grow(kept, end) : kept).set(part, bytes);
    this.bytes = end;
  }

  private grow(kept: Buffer, end: number): Buffer {
    const grown = Buffer.allocUnsafe(Math.min(this.bytesMax, Math.max(end, 2 * kept.length, BYTES_FIRST)));
    kept.copy(grown, 0, 0, this.bytes);
    this.kept = grown;
    return grown;
  }

  /** Null = they were too many. The bytes change with the next `add`. */
  body(): Buffer | null {
    return this.kept?.subarray(0, this.bytes) ?? null;
  }
}
