import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Settlement } from "@/lib/billing/types";
import type { Exchange } from "../../http/exchange";
import type { Caller } from "../authenticate";
import { type RefusalLimits, RefusalLog } from "./refusal-log";

const snapshot = { current: () => ({ options: { LogConsumeEnabled: true }, abilities: new Map() }) } as never;

function setUp(limits: Partial<RefusalLimits> = {}) {
  const rows: Settlement[] = [];
  const state = { queued: 0 };
  const settle = (row: Settlement) => {
    rows.push(row);
    return Promise.resolve();
  };
  const log = new RefusalLog({
    settler: { settle, queued: () => state.queued, hasRoom: () => true },
    snapshot,
    limits,
  });
  let sent = 0;
  const refuse = (user: number, code = "c", token = 1) => {
    const caller = { token: { id: token, name: "", group: "" }, user: { id: user, username: "", group: "" } };
    const exchange = {
      id: `request-${++sent}`,
      refusalCaller: caller as unknown as Caller,
      request: { url: "/v1/chat/completions" },
      model: "",
      clientIp: "",
      elapsedMs: () => 1,
    };
    const wire = { message: "no", type: "t", param: null, code };
    log.note(exchange as unknown as Exchange, { status: 403, wire });
  };
  const counted = () => rows.reduce((sum, { failure }) => sum + 1 + (failure?.repeats ?? 0), 0);
  return { log, rows, refuse, counted, state };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("a flood of refusals", () => {
  test("has few rows, and all of it is counted", () => {
    const { log, rows, refuse, counted } = setUp();
    for (let i = 0; i < 100_000; i++) refuse(1, i % 2 === 0 ? "a" : "b");
    expect(rows).toHaveLength(20);
    vi.advanceTimersByTime(10_000);
    expect(rows.length).toBeLessThanOrEqual(26);
    log.stop();
    expect(counted()).toBe(100_000);
  });

  test("of one user leaves room for the rows of others", () => {
    const { rows, refuse } = setUp();
    for (let i = 0; i < 10_000; i++) refuse(1);
    refuse(2);
    expect(rows.filter(({ userId }) => userId === 2)).toHaveLength(1);
  });

  test("of many users is bounded for the process, each gets its row in turn, and all is counted", () => {
    const { log, rows, refuse, counted } = setUp({ burst: 10, perMinute: 60, flushRows: 50 });
    for (let user = 1; user <= 300; user++) for (let i = 0; i < 10; i++) refuse(user);
    expect(rows).toHaveLength(10);
    vi.advanceTimersByTime(10_000);
    expect(rows.length).toBeLessThanOrEqual(10 + 50);
    vi.advanceTimersByTime(60_000);
    expect(new Set(rows.map(({ userId }) => userId)).size).toBe(300);
    log.stop();
    expect(counted()).toBe(3_000);
  });

  test("with ever new codes and keys is counted in bounded memory", () => {
    const { log, rows, refuse, counted } = setUp();
    for (let i = 0; i < 20_000; i++) refuse(1, `code-${i}`, i);
    log.stop();
    expect(counted()).toBe(20_000);
    expect(rows.length).toBeLessThan(100);
  });

  test("waits for a database that does not keep up, and is counted then", () => {
    const { log, rows, refuse, counted, state } = setUp();
    state.queued = 20_000;
    for (let i = 0; i < 1_000; i++) refuse(1);
    vi.advanceTimersByTime(30_000);
    expect(rows).toHaveLength(0);
    state.queued = 0;
    vi.advanceTimersByTime(10_000);
    expect([rows.length, counted()]).toEqual([1, 1_000]);
    log.stop();
  });
});

test("a row of its own is back after a quiet time, and no timer is left", () => {
  const { rows, refuse } = setUp();
  for (let i = 0; i < 100; i++) refuse(1);
  vi.advanceTimersByTime(120_000);
  const before = rows.length;
  refuse(1);
  expect(rows.length).toBe(before + 1);
  expect(rows.at(-1)?.failure?.repeats).toBe(0);
  vi.advanceTimersByTime(120_000);
  expect(vi.getTimerCount()).toBe(0);
});

test("an unknown caller has no row", () => {
  const { log, rows } = setUp();
  log.note({ refusalCaller: null } as Exchange, {
    status: 401,
    wire: { message: "", type: "", param: null, code: "x" },
  });
  log.stop();
  expect(rows).toEqual([]);
});
