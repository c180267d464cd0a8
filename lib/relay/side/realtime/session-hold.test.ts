import { expect, test } from "vitest";
import type { Reservation } from "@/lib/billing/lease";
import { RelayError } from "../../base/relay-error";
import { SessionHold } from "./session-hold";

const rates = { text: 1, cached: 1, sound: 1, picture: 1, writtenText: 1, writtenSound: 1, call: 0 };
const refusal = new RelayError("insufficient_quota", "no balance");

/** A balance in which one hold lives. `late`: answers wait for `answer`. */
function holdOn(balance: number, late = false) {
  const open = new Map<Reservation, number>();
  const queue: (() => void)[] = [];
  const answers = { count: 0 };
  const left = () => balance - [...open.values()].reduce((sum, amount) => sum + amount, 0);
  const later = <T>(act: () => T): Promise<T> =>
    late
      ? new Promise((done, failed) =>
          queue.push(() => {
            try {
              done(act());
            } catch (error) {
              failed(error as Error);
            }
          }),
        )
      : Promise.resolve().then(act);
  const hold = new SessionHold({
    requestId: "request",
    rates,
    permit: { budget: undefined },
    onAnswer: () => {
      answers.count += 1;
    },
    reserve: ({ amount, least }) =>
      later(() => {
        const granted = Math.min(amount, left());
        if (granted < least) throw refusal;
        const reservation = { userId: 1, tokenId: null, amount: granted };
        open.set(reservation, granted);
        return reservation;
      }),
    leaseBook: {
      extend: (reservation, { amount, least }) =>
        later(() => {
          const granted = Math.min(amount, left());
          if (granted < least || !open.has(reservation)) return 0;
          (reservation as { amount: number }).amount += granted;
          open.set(reservation, reservation.amount);
          return granted;
        }),
      release: (reservation) => void open.delete(reservation),
      split: (reservation, amount) => {
        const part = { userId: 1, tokenId: null, amount };
        (reservation as { amount: number }).amount -= amount;
        open.set(reservation, reservation.amount).set(part, amount);
        return part;
      },
    },
  });
  const answer = async () => {
    for (const act of queue.splice(0)) act();
    await new Promise((done) => setImmediate(done));
  };
  return { hold, open, answer, answers, left };
}

/** A hold whose reservations are made by `reserve`. */
function holdWith(reserve: () => Reservation): SessionHold {
  const leaseBook = { extend: () => 0, release: () => {}, split: () => ({ userId: 1, tokenId: null, amount: 0 }) };
  return new SessionHold({
    requestId: "request",
    rates,
    permit: { budget: undefined },
    onAnswer: () => {},
    leaseBook,
    reserve: () => Promise.resolve().then(reserve),
  });
}

test("reserves ahead, waits where more is needed than is held, and ends where no more is to be had", async () => {
  const { hold, answer } = holdOn(1_000);
  await hold.open(0);
  expect(hold.check(200)).toBe("go");
  expect(hold.check(600)).toBe("wait");
  await answer();
  expect(hold.check(600, true)).toBe("go");
  expect(hold.check(1_001)).toBe("wait");
  await answer();
  expect(hold.check(1_001, true)).toBe("end");
});

test("a reservation that comes when the session is over is given back", async () => {
  const { hold, open, answer } = holdOn(1_000, true);
  hold.renew(10);
  hold.close();
  await answer();
  expect(open.size).toBe(0);
});

test("charges in quick succession leave one reservation", async () => {
  const { hold, open, answer } = holdOn(10_000, true);
  hold.renew(10);
  expect(hold.takeFor(Number.POSITIVE_INFINITY, 0)).toBeNull();
  hold.renew(20);
  await answer();
  expect(open.size).toBe(1);
  hold.close();
  expect(open.size).toBe(0);
});

test("what was asked for a reservation that a charge has taken decides nothing", async () => {
  const { hold, open, answer, answers } = holdOn(10_000, true);
  const opening = hold.open(0);
  await answer();
  await opening;
  expect(hold.check(500)).toBe("go");
  const taken = hold.takeFor(Number.POSITIVE_INFINITY, 0);
  if (taken) open.delete(taken);
  hold.renew(0);
  await answer();
  await answer();
  expect(hold.check(100)).toBe("go");
  expect(answers.count).toBe(1);
});

test("what is still asked for a reservation that a charge has taken refuses nothing to the next one", async () => {
  const turn = () => new Promise((done) => setImmediate(done));
  let finish: (granted: number) => void = () => {};
  let isTaken = false;
  const hold = new SessionHold({
    requestId: "request",
    rates,
    permit: { budget: undefined },
    onAnswer: () => {},
    reserve: ({ amount }) =>
      isTaken ? Promise.reject(refusal) : Promise.resolve({ userId: 1, tokenId: null, amount }),
    leaseBook: {
      // All that is left, until it is found that nobody wants it any more.
      extend: () => {
        isTaken = true;
        return new Promise((done) => {
          finish = (granted) => {
            isTaken = false;
            done(granted);
          };
        });
      },
      release: () => {},
      split: () => ({ userId: 1, tokenId: null, amount: 0 }),
    },
  });
  await hold.open(0);
  expect(hold.check(500)).toBe("go");
  hold.takeFor(Number.POSITIVE_INFINITY, 0);
  hold.renew(10);
  await turn();
  finish(0);
  await turn();
  expect(hold.refusal).toBeNull();
  expect(hold.check(10)).toBe("go");
});

test("a charge leaves what is still needed, so that nobody else gets it meanwhile", async () => {
  const { hold, open, answer } = holdOn(10_000);
  hold.renew(4_000);
  await answer();
  const before = hold.kept;
  const taken = hold.takeFor(1_000, 2_000);
  expect([taken?.amount, hold.kept]).toEqual([before - 2_000 - 512, 2_000 + 512]);
  expect([...open.values()].reduce((sum, amount) => sum + amount, 0)).toBe(before);
  expect(hold.check(2_000)).toBe("go");
  // One that costs all there is leaves nothing.
  expect(hold.takeFor(5_000, 2_000)?.amount).toBe(2_512);
  expect(hold.kept).toBe(0);
});

test("a balance that is too small is refused with its reason", async () => {
  await expect(holdOn(5).hold.open(0)).rejects.toBe(refusal);
  const { hold, answer } = holdOn(5);
  hold.renew(100);
  await answer();
  expect(hold.check(100, true)).toBe("end");
  expect(hold.refusal).toBe(refusal);
});

test("while the database is away a session goes on, and asks again when that is used up", async () => {
  const asked = { count: 0 };
  const hold = holdWith(() => {
    asked.count += 1;
    throw new Error("away");
  });
  hold.renew(100);
  await new Promise((done) => setImmediate(done));
  expect(hold.check(200)).toBe("go");
  expect(hold.check(100_000)).toBe("wait");
  await new Promise((done) => setImmediate(done));
  expect(hold.check(100_000, true)).toBe("go");
  expect(asked.count).toBe(2);
});
