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
  const memory = createCounter(bodyBytesMax);
  const stored = createCounter(bodyBytesMax * STORED_FACTOR);
  return {
    open(holder) {
      const ofMemory = memory(holder);
      const ofStored = stored(holder);
      let closing: (() => void)[] | null = null;
      let holdsAnswer = false;
      return {
        add: ofMemory.add,
        addAnswer(bytes) {
          ofMemory.add(bytes);
          holdsAnswer = true;
        },
        addStored: ofStored.add,
        onRelease(close) {
          closing ??= [];
          closing.push(close);
        },
        giveBack: ofMemory.release,
        release(response) {
          ofMemory.close();
          ofStored.close();
          for (const close of closing?.splice(0) ?? []) close();
          ofStored.release();
          if (!holdsAnswer || !response || !isLeaving(response)) return ofMemory.release();
          response.setTimeout(stalledMs);
          response.once("close", ofMemory.release);
        },
      };
    },
  };
}

/** Written, and not taken yet. */
function isLeaving({ writableEnded, writableFinished, destroyed }: ServerResponse): boolean {
  return writableEnded && !writableFinished && !destroyed;
}

/** `close`: nothing is added any more. */
type Counter = (holder: number | string) => Pick<BodyShare, "add"> & { release(): void; close(): void };

function createCounter(bodyBytesMax: number): Counter {
  const total = bodyBytesMax * WHOLE_BODIES;
  const perCaller = bodyBytesMax * WHOLE_BODIES_PER_CALLER;
  const byCaller = new Map<number | string, number>();
  let inUse = 0;

  function put(holder: number | string, bytes: number): void {
    inUse += bytes;
    const next = (byCaller.get(holder) ?? 0) + bytes;
    if (next === 0) byCaller.delete(holder);
    else byCaller.set(holder, next);
  }

  return (holder) => {
    let held = 0;
    let isClosed = false;
    return {
      add(bytes) {
        if (isClosed) throw new Error("the request is over");
        if ((byCaller.get(holder) ?? 0) + bytes > perCaller) throw tooManyOfCaller();
        if (inUse + bytes > total) throw tooManyOfAll();
        held += bytes;
        put(holder, bytes);
      },
      release() {
        if (held > 0) put(holder, -held);
        held = 0;
      },
      close() {
        isClosed = true;
      },
    };
  };
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
