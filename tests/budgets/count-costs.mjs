// Loaded into a gateway's process before its own code: counts what its requests cost, and answers over IPC.
import { createHook } from "node:async_hooks";
import fs from "node:fs";
import { Server } from "node:http";
import { syncBuiltinESMExports } from "node:module";
import { Socket } from "node:net";
import { PerformanceObserver } from "node:perf_hooks";
import timers from "node:timers";
import { getHeapStatistics } from "node:v8";

/** What has been counted so far. */
const counts = { promises: 0, timers: 0, toCaller: 0, toUpstream: 0, toDatabase: 0, toFiles: 0, statements: 0 };

// ---- Time stands still while costs are counted, so that what runs by the clock is not counted by chance.

/** How far the gateway's clock goes ahead with each request. */
let stepMs = 0;
/** A shorter wait belongs to the request that asks for it. */
const HELD_FROM_MS = 20;
const realNow = performance.now.bind(performance);
/** Of the gateway's clock; null = it runs. It moves with each request, and never back. */
let standing = null;
let aheadMs = 0;
performance.now = () => standing ?? realNow() + aheadMs;

/** Timers that are due since time stands still, each with what it runs. */
const due = new Map();
/** What runs again and again. */
const repeated = new Map();
const { setTimeout: realTimeout, setInterval: realInterval, clearTimeout: realClear } = timers;

function timeout(run, ms = 0, ...given) {
  const timer = realTimeout(() => {
    if (standing === null || ms < HELD_FROM_MS) run(...given);
    else due.set(timer, () => run(...given));
  }, ms);
  return timer;
}

function interval(run, ms, ...given) {
  const timer = realInterval(() => {
    if (standing === null) run(...given);
  }, ms);
  repeated.set(timer, () => run(...given));
  return timer;
}

function clear(timer) {
  due.delete(timer);
  repeated.delete(timer);
  realClear(timer);
}

for (const place of [timers, globalThis])
  Object.assign(place, {
    setTimeout: Object.assign(timeout, realTimeout),
    setInterval: interval,
    clearTimeout: clear,
    clearInterval: clear,
  });

/** The clock went ahead: what is repeated is due. */
function goOn() {
  if (standing === null) return;
  aheadMs = Math.max(aheadMs, standing - realNow());
  standing = null;
  const runs = [...due.values(), ...repeated.values()];
  due.clear();
  for (const run of runs) run();
}

// ---- Writes

/** Calls that write to files and have not come back; who waits until there are none. */
let inFlight = 0;
const waiting = [];

for (const name of ["write", "writev", "fsync", "fdatasync"]) {
  const real = fs[name];
  fs[name] = (...given) => {
    counts.toFiles += 1;
    inFlight += 1;
    const done = given.pop();
    real(...given, (...results) => {
      inFlight -= 1;
      done(...results);
      if (waiting.length > 0) uncounted(() => setImmediate(letOneIn));
    });
  };
}
for (const name of ["writeSync", "writevSync", "fsyncSync", "fdatasyncSync"]) {
  const real = fs[name];
  fs[name] = (...given) => {
    counts.toFiles += 1;
    return real(...given);
  };
}

function letOneIn() {
  if (inFlight === 0) waiting.shift()?.();
}

const PROTOCOL_3 = 196_608;
/** Of PostgreSQL's messages those that execute: "B" binds a prepared statement, "Q" is a simple query. */
const EXECUTES = new Set(["B".charCodeAt(0), "Q".charCodeAt(0)]);
const ofDatabase = new WeakSet();

/** A first message of PostgreSQL has no letter: a length, and the version of the protocol. */
function beginsSession(bytes) {
  return bytes.length > 8 && bytes.readInt32BE(4) === PROTOCOL_3;
}

function countStatements(bytes) {
  for (let at = 0; at + 5 <= bytes.length; at += 1 + bytes.readInt32BE(at + 1))
    if (EXECUTES.has(bytes[at])) counts.statements += 1;
}

function countWrite(socket, parts) {
  if (socket.server) counts.toCaller += 1;
  else if (ofDatabase.has(socket)) {
    counts.toDatabase += 1;
    for (const part of parts) countStatements(part);
  } else if (Buffer.isBuffer(parts[0]) && beginsSession(parts[0])) ofDatabase.add(socket);
  else counts.toUpstream += 1;
}

const writeGeneric = Socket.prototype._writeGeneric;
Socket.prototype._writeGeneric = function write(isMany, data, encoding, done) {
  if (!this.connecting) countWrite(this, isMany ? data.map(({ chunk }) => chunk) : [data]);
  return writeGeneric.call(this, isMany, data, encoding, done);
};

// ---- Promises and timers

const TYPES = { PROMISE: "promises", Timeout: "timers", Immediate: "timers" };
/** What this file does itself is not counted. */
let isOwn = false;
const places = process.env.WEIR_BUDGET_PLACES === "1" ? new Map() : null;
if (places) Error.stackTraceLimit = 30;

function uncounted(run) {
  isOwn = true;
  try {
    return run();
  } finally {
    isOwn = false;
  }
}

function notePlace(type) {
  const lines = new Error().stack.split("\n").slice(3);
  const own = lines.filter((line) => !/node:|count-costs/.test(line)).slice(0, 2);
  const place = `${type} ${own.map((line) => line.trim().replace(`${process.cwd()}/`, "")).join(" < ")}`;
  places.set(place, (places.get(place) ?? 0) + 1);
}

const hook = createHook({
  init(_id, type) {
    const name = TYPES[type];
    if (name === undefined || isOwn) return;
    counts[name] += 1;
    if (places) notePlace(type);
  },
});

// ---- Faults, for the proof that each is seen

let fault = "none";
const kept = [];
const faults = {
  none() {},
  promise: () => void Promise.resolve(),
  timer: () => void realTimeout(() => {}, 1).unref(),
  // Eight bytes each.
  bytes: () => void kept.push(new Array(256).fill(0)),
};

/** While costs are counted a request begins when the one before it is on the disk, so that no two share a write. */
const emit = Server.prototype.emit;
Server.prototype.emit = function emitCounted(name, ...given) {
  if (name !== "request" || standing === null) return emit.call(this, name, ...given);
  const begin = () => {
    standing += stepMs;
    faults[fault]();
    emit.call(this, name, ...given);
  };
  if (inFlight === 0) begin();
  else waiting.push(begin);
  return true;
};
syncBuiltinESMExports();

// ---- Questions of the test

/** Since when costs are counted, by the real clock, and how often garbage was collected since. */
let begunAt = 0;
let collections = 0;
const noteCollections = (entries) => {
  for (const { startTime } of entries) if (startTime > begunAt) collections += 1;
};
const observer = new PerformanceObserver((list) => noteCollections(list.getEntries()));
observer.observe({ entryTypes: ["gc"] });
const pause = (ms) => new Promise((done) => realTimeout(done, ms));
const read = () => ({ ...counts, bytes: getHeapStatistics().used_heap_size });
let before = read();

/** What was on its way when time stopped is over when nothing was written for three moments. */
async function untilQuiet() {
  let last = "";
  for (let calm = 0; calm < 3; calm++) {
    await pause(10);
    const now = JSON.stringify(counts);
    if (now !== last || inFlight > 0) calm = 0;
    last = now;
  }
}

const questions = {
  /** From here on time moves with requests only. A collection makes V8 forget what it has learned of objects' shapes. */
  standStill({ stepMs: step }) {
    standing ??= performance.now();
    stepMs = step;
    globalThis.gc();
  },
  /** From here on everything is counted. */
  async begin({ isBytes, fault: wanted }) {
    await untilQuiet();
    fault = wanted;
    places?.clear();
    if (!isBytes) hook.enable();
    collections = 0;
    begunAt = realNow();
    before = read();
  },
  /** What was counted. The hooks would count as bytes. */
  end() {
    const now = read();
    hook.disable();
    fault = "none";
    kept.length = 0;
    noteCollections(observer.takeRecords());
    return { ...since(now), collections, places: [...(places ?? [])] };
  },
  goOn,
  /** The same with what was written since. */
  total: () => since(read()),
};

function since(now) {
  return Object.fromEntries(Object.entries(now).map(([name, value]) => [name, value - before[name]]));
}

process.on("message", async ({ costs, ...given }) => {
  if (costs) process.send({ costs, answer: (await questions[costs](given)) ?? null });
});
