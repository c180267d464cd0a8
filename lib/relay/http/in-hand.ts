import type { RelayError } from "../base/relay-error";

/** A request in hand. */
export type Held = {
  /** Its place among all in hand; -1 = it is not. Only this file writes it. */
  place: number;
  /** Another answer follows on the connection, unless the headers are sent. */
  keepsConnection(isKept: boolean): void;
  /** Ends the answer with an error, because the process stops. */
  cutOff(error: RelayError): void;
};

/** The requests in hand; `idle` resolves when there is none. An array, because a Set of as many costs more for each request. */
export function createInHand() {
  const held: Held[] = [];
  let waiting: (() => void)[] = [];
  return {
    enter(one: Held): void {
      one.place = held.push(one) - 1;
    },
    leave(one: Held): void {
      const { place } = one;
      if (place === -1) return;
      one.place = -1;
      const last = held.pop();
      if (last && last !== one) {
        held[place] = last;
        last.place = place;
      }
      if (held.length > 0) return;
      for (const done of waiting) done();
      waiting = [];
    },
    /** All that are in hand now. */
    all: (): readonly Held[] => [...held],
    count: () => held.length,
    idle: (): Promise<void> => (held.length === 0 ? Promise.resolve() : new Promise((done) => waiting.push(done))),
  };
}

export type InHand = ReturnType<typeof createInHand>;
