import { type Placed, PlacedList } from "../base/placed-list";
import type { RelayError } from "../base/relay-error";

/** A request in hand. */
export type Held = Placed & {
  /** Another answer follows on the connection, unless the headers are sent. */
  keepsConnection(isKept: boolean): void;
  /** Ends the answer with an error, because the process stops. */
  cutOff(error: RelayError): void;
};

/** The requests in hand; `idle` resolves when there is none. */
export function createInHand() {
  const held = new PlacedList<Held>();
  const { items } = held;
  let waiting: (() => void)[] = [];
  return {
    enter: (one: Held): void => held.add(one),
    leave(one: Held): void {
      if (one.place === -1) return;
      held.remove(one);
      if (items.length > 0) return;
      for (const done of waiting) done();
      waiting = [];
    },
    /** All that are in hand now. */
    all: (): readonly Held[] => [...items],
    count: () => items.length,
    idle: (): Promise<void> => (items.length === 0 ? Promise.resolve() : new Promise((done) => waiting.push(done))),
  };
}

export type InHand = ReturnType<typeof createInHand>;
