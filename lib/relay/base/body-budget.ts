import type { ServerResponse } from "node:http";
import { RelayError } from "./relay-error";

/** The bytes that one request holds of the budget. */
export type BodyShare = {
  /** Throws 429 when the caller, 503 when the process holds too many bytes already, and an error when the share was released. */
  add(bytes: number): void;
  /** The same for an answer of many times the request's size; they are given back when it has left. */
  addAnswer(bytes: number): void;
  /** The same for bytes that are kept on the disk. */
  addStored(bytes: number): void;
  /** To be called when everything is given back. */
  onRelease(close: () => void): void;
  /** Gives back what is in memory, for a share that goes on. */
  giveBack(): void;
  /**
   * Gives everything back when the request is over. Can be called more than once. What still arrives for the request is refused then,
   * because nobody would give it back. `response`: what an answer was written to.
   */
  release(response?: ServerResponse): void;
};

/** `holder`: the id of a user, or the address of somebody who is not known. */
export type BodyBudget = { open(holder: number | string): BodyShare };

/** How many bodies of the largest size the process, and one caller in it, may hold at once. */
const WHOLE_BODIES = 8;
const WHOLE_BODIES_PER_CALLER = 4;
/** How much more of them may be on the disk. */
const STORED_FACTOR = 4;
const retrySeconds = 2;
/** A client that takes nothing of its answer for this long is disconnected. */
const stalledMs = 300_000;

/**
 * Bounds the memory and the disk space that request bodies, and answers of many times their size, take in this process,
 * from their first byte to the end of their requests.
 */
export function createBodyBudget(bodyBytesMax: number): BodyBudget {
  const memory = new Counter(bodyBytesMax);
  const stored = new Counter(bodyBytesMax * STORED_FACTOR);
  return { open: (holder) => new Share(memory, stored, holder) };
}

class Share implements BodyShare {
  private readonly memory: Counter;
  private readonly stored: Counter;
  private readonly holder: number | string;
  private inMemory = 0;
  private onDisk = 0;
  private isOver = false;
  private holdsAnswer = false;
  private closing: (() => void)[] | null = null;

  constructor(memory: Counter, stored: Counter, holder: number | string) {
    this.memory = memory;
    this.stored = stored;
    this.holder = holder;
  }

  add(bytes: number): void {
    if (this.isOver) throw new Error("the request is over");
    this.memory.take(this.holder, bytes);
    this.inMemory += bytes;
  }

  addAnswer(bytes: number): void {
    this.add(bytes);
    this.holdsAnswer = true;
  }

  addStored(bytes: number): void {
    if (this.isOver) throw new Error("the request is over");
    this.stored.take(this.holder, bytes);
    this.onDisk += bytes;
  }

  onRelease(close: () => void): void {
    this.closing ??= [];
    this.closing.push(close);
  }

  giveBack(): void {
    this.memory.giveBack(this.holder, this.inMemory);
    this.inMemory = 0;
  }

  release(response?: ServerResponse): void {
    this.isOver = true;
    for (const close of this.closing?.splice(0) ?? []) close();
    this.stored.giveBack(this.holder, this.onDisk);
    this.onDisk = 0;
    if (this.holdsAnswer && response && isLeaving(response)) {
      response.setTimeout(stalledMs);
      response.once("close", () => this.giveBack());
    } else this.giveBack();
  }
}

/** Written, and not taken yet. */
function isLeaving({ writableEnded, writableFinished, destroyed }: ServerResponse): boolean {
  return writableEnded && !writableFinished && !destroyed;
}

/** What all requests hold together, and those of each caller. */
class Counter {
  private readonly total: number;
  private readonly perCaller: number;
  private readonly byCaller = new Map<number | string, number>();
  private inUse = 0;

  constructor(bodyBytesMax: number) {
    this.total = bodyBytesMax * WHOLE_BODIES;
    this.perCaller = bodyBytesMax * WHOLE_BODIES_PER_CALLER;
  }

  take(holder: number | string, bytes: number): void {
    if (bytes === 0) return;
    const held = (this.byCaller.get(holder) ?? 0) + bytes;
    if (held > this.perCaller) throw tooManyOfCaller();
    if (this.inUse + bytes > this.total) throw tooManyOfAll();
    this.inUse += bytes;
    this.byCaller.set(holder, held);
  }

  giveBack(holder: number | string, bytes: number): void {
    if (bytes === 0) return;
    this.inUse -= bytes;
    const held = (this.byCaller.get(holder) ?? 0) - bytes;
    if (held === 0) this.byCaller.delete(holder);
    else this.byCaller.set(holder, held);
  }
}

function tooManyOfCaller(): RelayError {
  const message = "your requests in flight, or their answers, are too large together";
  return new RelayError("body_limit_exceeded", message, {
    retryAfter: retrySeconds,
  });
}

function tooManyOfAll(): RelayError {
  return new RelayError("overloaded", "too many large requests are in flight, please try again", {
    retryAfter: retrySeconds,
  });
}
