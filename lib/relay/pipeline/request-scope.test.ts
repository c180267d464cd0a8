import { describe, expect, test, vi } from "vitest";
import type { Reservation } from "@/lib/billing/lease";
import { logger } from "@/lib/logger";
import type { Caller } from "../admission/authenticate";
import { FREE, type Permit } from "../admission/limits/limited-request";
import { createBodyBudget } from "../base/body-budget";
import type { Exchange } from "../http/exchange";
import type { Operation } from "../operations/operation";
import type { Preference } from "../routing/affinity";
import type { Claim } from "./idempotency";
import { RequestScope, type RequestState } from "./request-scope";
import type { Shared } from "./shared";

/** The ways that requests take, each to its end. */
const WAYS: readonly (readonly RequestState[])[] = [
  ["ended"],
  ["reserved", "ended"],
  ["reserved", "asking", "ended"],
  ["reserved", "asking", "measured", "booked", "ended"],
  ["reserved", "asking", "streaming", "measured", "booked", "ended"],
  // It failed, and costs nothing.
  ["reserved", "asking", "measured", "ended"],
  // A second model answers.
  ["reserved", "asking", "admitted", "reserved", "asking", "measured", "booked", "ended"],
  // A second model is not asked: the balance does not carry it.
  ["reserved", "asking", "admitted", "measured", "ended"],
  // Its upstream goes on with it.
  ["reserved", "asking", "booked", "ended"],
  ["reserved", "asking", "streaming", "booked", "ended"],
];
const STATES = ["admitted", "reserved", "asking", "streaming", "measured", "booked", "ended"] as const;

function openScope() {
  const given: string[] = [];
  const note = (name: string) => (): void => void given.push(name);
  const permit: Permit = { ...FREE, leave: (isServed) => void given.push(isServed ? "permit, served" : "permit") };
  const bodyBudget = createBodyBudget(1_000);
  const shared = {
    snapshot: { current: () => ({}) },
    bodyBudget,
    leaseBook: { release: note("reservation") },
    streams: { end: (_exchange: Exchange, isSettled: boolean) => void given.push(isSettled ? "taken over" : "stream") },
    settler: { forget: note("note") },
  } as unknown as Shared;
  const caller = { user: { id: 1 } } as Caller;
  const scope = new RequestScope(shared, { id: "r1" } as Exchange, {} as Operation, caller, permit);
  /** Takes one of everything. */
  const takeAll = (): void => {
    scope.share.add(1_000);
    scope.claim = { leave: async () => void given.push("claim") } as Claim;
    scope.reservation = {} as Reservation;
    scope.preference = { leave: note("preference") } as unknown as Preference;
    scope.seats = { ...scope.seats, leave: note("seats") };
    scope.isRunning = true;
    scope.isNoted = true;
  };
  return { scope, given, takeAll, bodyBudget };
}

describe("the states of a request", () => {
  test("follow each other as they are written down, and in no other way", () => {
    const found = new Set<string>();
    for (const way of WAYS) {
      const { scope } = openScope();
      let from: RequestState = scope.state;
      for (const state of way) {
        scope.move(state);
        found.add(`${from} ${state}`);
        from = state;
      }
    }
    for (const from of STATES) {
      for (const state of STATES) {
        const { scope } = openScope();
        scope.state = from;
        const isAllowed = state === "ended" ? from !== "ended" : found.has(`${from} ${state}`);
        if (isAllowed) scope.move(state);
        else expect(() => scope.move(state), `${from} ${state}`).toThrow("cannot be");
      }
    }
  });

  test("a stream that another channel goes on with stays one", () => {
    const { scope } = openScope();
    for (const state of ["reserved", "asking"] as const) scope.move(state);
    scope.streams();
    scope.streams();
    expect(scope.state).toBe("streaming");
  });
});

describe("what a request holds", () => {
  test.each(STATES.slice(0, -1))("is given back, each thing once, where it ends as %s", async (state) => {
    const { scope, given, takeAll, bodyBudget } = openScope();
    takeAll();
    scope.state = state;
    await scope.end();
    expect(given).toEqual(["stream", "seats", "preference", "reservation", "note", "permit", "claim"]);
    // The whole memory of the caller is free again.
    for (let at = 0; at < 4; at++) bodyBudget.open(1).add(1_000);
    expect(() => scope.end()).toThrow("ended");
    expect(given).toHaveLength(7);
  });

  const breaking: Record<string, (scope: RequestScope, fail: () => never) => void> = {
    stream: (scope, end) => Object.assign(scope.shared.streams, { end }),
    seats: (scope, leave) => Object.assign(scope.seats, { leave }),
    preference: (scope, leave) => Object.assign(scope.preference ?? {}, { leave }),
    reservation: (scope, release) => Object.assign(scope.shared.leaseBook, { release }),
    note: (scope, forget) => Object.assign(scope.shared.settler, { forget }),
    share: (scope, release) => Object.assign(scope.share, { release }),
    permit: (scope, leave) => Object.assign(scope.permit, { leave }),
  };
  test.each(Object.keys(breaking))(
    "is given back and the error logged, although giving back its %s fails",
    async (broken) => {
      const { scope, given, takeAll } = openScope();
      takeAll();
      breaking[broken]?.(scope, () => {
        throw new Error("broken");
      });
      const logged = vi.spyOn(logger, "error").mockReturnValue();
      await scope.end();
      const all = ["stream", "seats", "preference", "reservation", "note", "permit", "claim"];
      expect(given).toEqual(all.filter((name) => name !== broken));
      expect(logged.mock.calls.map(([about]) => about)).toMatchObject([{ request: "r1", what: broken }]);
      logged.mockRestore();
    },
  );

  test("for one model is given back before the next is asked, and the rest stays", () => {
    const { scope, given, takeAll } = openScope();
    takeAll();
    scope.state = "asking";
    scope.nextModel();
    expect(given).toEqual(["stream", "seats", "preference", "reservation"]);
    expect([scope.state, scope.reservation, scope.preference, scope.isRunning]).toEqual([
      "admitted",
      null,
      null,
      false,
    ]);
  });

  test("in the journal is left to the settlement that takes its place", async () => {
    const { scope, given, takeAll } = openScope();
    takeAll();
    scope.isServed = true;
    scope.handOver();
    await scope.end();
    expect(given).toEqual(["taken over", "seats", "preference", "reservation", "permit, served", "claim"]);
  });
});
