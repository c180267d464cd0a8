import type { Sql } from "@/db/client";
import { type CaptureQueue, createCaptureQueue } from "@/lib/capture/queue";
import { createRedact, type Redact } from "@/lib/capture/redact";
import { type CapturedRequest, prepareCapture, storeCaptures } from "@/lib/capture/store-commands";
import { logger } from "@/lib/logger";
import type { OptionValues } from "@/lib/option/registry";
import { compilePatterns } from "@/lib/patterns";
import type { KeyUse as Caller } from "@/lib/snapshot/key-use";
import type { WireError } from "../wire/canonical/wire-error";
import type { Delivery } from "./delivery";
import type { Exchange } from "./exchange";
import { Form, type ReceivedBody } from "./forms/form";

type CaptureOptions = Pick<OptionValues, "CaptureEnabled" | "CaptureHours" | "CaptureKilobytes" | "CapturePatterns">;

/** A body up to this multiple of what is kept is read whole: without its files and spaces it may fit. */
const READ_FACTOR = 4;

/** Bytes of requests and answers that a process keeps at most while they run; a queue of its own bounds what follows. */
const HELD_MAX = 64 * 1_048_576;

/** What is left of that. */
export type CaptureRoom = { left: number };

type Finish = (answer: CapturedRequest["answer"], status: number) => void;

/** What is captured of one request. `add` only copies bytes, as long as there is room. */
export class Capturing {
  private readonly finish: Finish;
  private readonly bytesMax: number;
  private readonly room: CaptureRoom;
  /** What this request took of the room. */
  private held: number;
  private readonly pieces: Buffer[] = [];
  private kept = 0;
  private total = 0;
  private isEnded = false;

  /** `requestBytes` of the room are taken with it. */
  constructor(bytesMax: number, finish: Finish, room: CaptureRoom = { left: HELD_MAX }, requestBytes = 0) {
    this.bytesMax = bytesMax;
    this.finish = finish;
    this.room = room;
    this.held = requestBytes;
    room.left -= requestBytes;
  }

  /** Bytes that are sent to the caller. */
  add(bytes: Buffer): void {
    this.total += bytes.length;
    const room = Math.min(this.bytesMax - this.kept, this.room.left);
    if (room <= 0 || this.isEnded) return;
    // Copied: the bytes may be part of a much larger buffer.
    const piece = Buffer.from(room < bytes.length ? bytes.subarray(0, room) : bytes);
    this.kept += piece.length;
    this.held += piece.length;
    this.room.left -= piece.length;
    this.pieces.push(piece);
  }

  ended(delivery: Exclude<Delivery, { outcome: "failed" }>): void {
    if (delivery.outcome === "answered" || delivery.outcome === "spent") {
      this.add(delivery.ending);
      this.end(200);
    } else this.end(0);
  }

  failed(status: number, error: WireError): void {
    this.add(Buffer.from(JSON.stringify({ error })));
    this.end(status);
  }

  /** Gives its room back. A request that ended without an answer of any kind is not kept. */
  leave(): void {
    this.isEnded = true;
    this.room.left += this.held;
    this.held = 0;
    this.pieces.length = 0;
  }

  private end(status: number): void {
    if (this.isEnded) return;
    const bytes = this.pieces.length === 1 ? (this.pieces[0] as Buffer) : Buffer.concat(this.pieces);
    const answer = { bytes, isCut: this.total > this.kept, total: this.total };
    this.leave();
    this.finish(answer, status);
  }
}

export type Captures = {
  /** Begins to capture a request whose key's owner wants that; else does nothing. */
  begin: (exchange: Exchange, caller: Caller, body: ReceivedBody, options: CaptureOptions) => void;
  idle: CaptureQueue["idle"];
};

const LOG_EVERY_MS = 60_000;

/** The captures of one process. */
export function createCaptures(sql: Sql, room: CaptureRoom = { left: HELD_MAX }): Captures {
  let redactOf: { patterns: readonly string[]; redact: Redact } = { patterns: [], redact: createRedact([]) };
  let charactersMax = 0;
  let loggedAt = Number.NEGATIVE_INFINITY;
  const queue = createCaptureQueue({
    prepare: (request) => prepareCapture(request, redactOf.redact, charactersMax),
    store: (captures, lost) => storeCaptures(sql, captures, lost),
    onError(error) {
      if (performance.now() - loggedAt < LOG_EVERY_MS) return;
      loggedAt = performance.now();
      logger.error({ err: error, lost: queue.lost() }, "captured requests were dropped");
    },
  });
  return {
    idle: queue.idle,
    begin(exchange, { token, user }, body, options) {
      const { captureUntil } = token;
      if (captureUntil === 0 || !options.CaptureEnabled) return;
      const now = Math.floor(Date.now() / 1_000);
      if (captureUntil !== -1 && captureUntil <= now) return;
      if (redactOf.patterns !== options.CapturePatterns) {
        const patterns = compilePatterns(options.CapturePatterns) ?? [];
        redactOf = { patterns: options.CapturePatterns, redact: createRedact(patterns) };
      }
      charactersMax = options.CaptureKilobytes * 1_024;
      const bytesMax = READ_FACTOR * charactersMax;
      const request = requestOf(body, bytesMax);
      if (request.bytes.length >= room.left) return queue.drop();
      const finish: Finish = (answer, status) => {
        queue.offer({
          requestId: exchange.id,
          userId: user.id,
          tokenId: token.id,
          path: exchange.request.url ?? "",
          modelName: exchange.model,
          status,
          createdAt: now,
          expiresAt: now + options.CaptureHours * 3_600,
          request,
          answer,
        });
      };
      exchange.capture = new Capturing(bytesMax, finish, room, request.bytes.length);
    },
  };
}

/** Files of a form are named and not kept. */
function requestOf(body: ReceivedBody, bytesMax: number): CapturedRequest["request"] {
  if (body instanceof Form) {
    const fields = body.entries.map((entry) =>
      "text" in entry
        ? { name: entry.name, text: entry.text.slice(0, bytesMax) }
        : { name: entry.name, file: entry.fileName, type: entry.type, bytes: entry.file.length },
    );
    const bytes = Buffer.from(JSON.stringify({ form: fields }));
    return { bytes: bytes.subarray(0, bytesMax), isCut: bytes.length > bytesMax, total: bytes.length };
  }
  const isCut = body.length > bytesMax;
  return { bytes: isCut ? Buffer.from(body.subarray(0, bytesMax)) : body, isCut, total: body.length };
}
