import { randomUUID } from "node:crypto";
import {
  CALM_MS,
  type Circuit,
  type CircuitFailure,
  type CircuitLimits,
  count,
  forgetCounts,
  isForgotten,
  newCircuit,
  opensAt,
  type Probe,
  restOf,
} from "./circuit";
import { type CircuitRow, STORED_LATE_MS } from "./commands";

/** How circuits are shared with the other processes. Nothing here waits for it but the request that claims a probe. */
export type CircuitSharing = {
  /** Stores the circuit as it is now, as soon as possible. */
  save(circuit: Circuit): void;
  /** Whether the newest state is stored. */
  isSaved(circuit: Circuit): boolean;
  /** "alone" = the others cannot be asked. */
  claim(circuit: Circuit, probeId: string, forMs: number): Promise<"granted" | "refused" | "alone">;
  /** The claimed probe has begun. */
  keep(circuit: Circuit, probeId: string, forMs: number): void;
};

export type CircuitSettings = {
  limits: () => CircuitLimits;
  sharing: CircuitSharing;
  /** Milliseconds of a clock that never goes back. */
  now?: () => number;
  random?: () => number;
};

/** An attempt at an open circuit. Give it back with the outcome. */
export type Trial = { readonly circuit: Circuit; readonly opening: number; readonly isProbe: boolean };

/** A claimed probe that did not begin by then is free for the other processes. */
const GRANTED_MS = 3_000;
/** A probe without a result by then, because its process died or its answer is long, does not keep others from trying. */
const RUNNING_MS = 30_000;
/** Until the state is read that made another process refuse. */
const REFUSED_MS = 250;

/**
 * The circuits of (channel, upstream model) as this process sees them. An open one is a preference: its channel is tried
 * last. When its rest is over, the next request that might choose the channel claims the probe, and is the probe itself
 * if it gets it. Only channels and models that failed lately are kept here.
 */
export class Circuits {
  private readonly channels = new Map<number, Map<string, Circuit>>();
  private open = 0;
  private readonly settings: Required<CircuitSettings>;

  constructor(settings: CircuitSettings) {
    this.settings = { now: () => performance.now(), random: Math.random, ...settings };
  }

  /** Whether any circuit is open. */
  get hasOpen(): boolean {
    return this.open > 0;
  }

  /** Open circuits: those that rest, and those whose rest is over and that wait for a probe or its end. */
  counts(): { resting: number; probing: number } {
    const nowMs = this.settings.now();
    const counts = { resting: 0, probing: 0 };
    for (const models of this.channels.values()) {
      for (const { isOpen, until } of models.values()) if (isOpen) counts[nowMs < until ? "resting" : "probing"] += 1;
    }
    return counts;
  }

  /** Whether the channel should be tried last. */
  isOpen(channelId: number, model: string): boolean {
    const circuit = this.openOne(channelId, model);
    return circuit !== null && !this.has(circuit, "free");
  }

  /** Whether the rest is over, and nobody has the probe as far as is known here. */
  isDue(channelId: number, model: string): boolean {
    const circuit = this.openOne(channelId, model);
    return circuit !== null && this.isUnclaimed(circuit);
  }

  /** Claims the probe of a circuit that is due. True = the request that asks may choose the channel, and is the probe. */
  claim(channelId: number, model: string): boolean | Promise<boolean> {
    const circuit = this.openOne(channelId, model);
    if (!circuit || !this.isUnclaimed(circuit)) return false;
    const until = this.settings.now() + GRANTED_MS;
    if (this.settings.sharing.isSaved(circuit)) return this.ask(circuit, { state: "asked", id: randomUUID(), until });
    circuit.probe = { state: "granted", id: null, until };
    return true;
  }

  /** Call at the start of an attempt. Null = the circuit is closed. */
  begin(channelId: number, model: string): Trial | null {
    const circuit = this.openOne(channelId, model);
    if (!circuit) return null;
    const isProbe = this.has(circuit, "granted") || this.has(circuit, "free");
    if (isProbe && circuit.probe) {
      circuit.probe.state = "running";
      circuit.probe.until = this.settings.now() + RUNNING_MS;
      if (circuit.probe.id !== null) this.settings.sharing.keep(circuit, circuit.probe.id, RUNNING_MS);
    }
    return { circuit, opening: circuit.opening, isProbe };
  }

  succeeded(channelId: number, model: string, trial: Trial | null): void {
    if (this.channels.size === 0) return;
    const nowMs = this.settings.now();
    if (trial && isCurrent(trial)) {
      // A limit may let single requests through before it ends.
      if (trial.isProbe || trial.circuit.cause !== "limit" || nowMs >= trial.circuit.until) this.close(trial.circuit);
      return;
    }
    const circuit = this.channels.get(channelId)?.get(model);
    if (!circuit || circuit.isOpen) return;
    count(circuit, false, nowMs);
    if (isForgotten(circuit, nowMs)) this.remove(circuit);
  }

  /** The answer has begun to reach the caller: enough to close a circuit, unless it opened because answers are cut. */
  answering(trial: Trial): void {
    if (trial.isProbe && isCurrent(trial) && trial.circuit.cause !== "cut") this.close(trial.circuit);
  }

  failed(channelId: number, model: string, failure: CircuitFailure, trial: Trial | null): void {
    if (trial && isCurrent(trial)) {
      // Attempts at an open circuit for want of another channel would lengthen its rest by their number.
      if (trial.isProbe) this.rest(trial.circuit, failure);
      return;
    }
    const circuit = this.find(channelId, model);
    if (circuit.isOpen) return;
    count(circuit, true, this.settings.now());
    if (opensAt(circuit, failure.cause, this.settings.limits().failures)) this.rest(circuit, failure);
  }

  /** The attempt ended without saying anything about the channel: the next one of this process is the probe. */
  abandoned(trial: Trial | null): void {
    if (!trial?.isProbe || !isCurrent(trial) || trial.circuit.probe?.state !== "running") return;
    trial.circuit.probe.state = "free";
  }

  /** Takes over what is stored: all rows of these channels, or of all. */
  learn(rows: readonly CircuitRow[], channelIds: readonly number[] | null): void {
    const stored = new Set<Circuit>();
    for (const row of rows) {
      const circuit = this.find(row.channelId, row.model);
      stored.add(circuit);
      if (this.settings.sharing.isSaved(circuit)) this.take(circuit, row);
    }
    for (const id of channelIds ?? [...this.channels.keys()]) {
      for (const circuit of [...(this.channels.get(id)?.values() ?? [])]) {
        if (stored.has(circuit) || !this.settings.sharing.isSaved(circuit)) continue;
        if (circuit.isOpen) this.shut(circuit, 0);
        if (isForgotten(circuit, this.settings.now())) this.remove(circuit);
      }
    }
  }

  private take(circuit: Circuit, row: CircuitRow): void {
    const nowMs = this.settings.now();
    if (!row.isOpen) {
      if (circuit.isOpen) this.shut(circuit, row.level);
      circuit.level = row.level;
      circuit.closedAt = nowMs - (row.closedForMs ?? 0);
      return;
    }
    if (!circuit.isOpen) this.markOpen(circuit);
    circuit.cause = row.cause;
    circuit.level = row.level;
    const until = nowMs + row.restMs;
    if (Math.abs(until - circuit.until) > STORED_LATE_MS) circuit.until = until;
    circuit.probe = probeAfter(circuit.probe, row, nowMs);
  }

  private openOne(channelId: number, model: string): Circuit | null {
    if (this.open === 0) return null;
    const circuit = this.channels.get(channelId)?.get(model);
    return circuit?.isOpen === true ? circuit : null;
  }

  private has({ probe }: Circuit, state: Probe["state"]): boolean {
    return probe?.state === state && this.settings.now() < probe.until;
  }

  private isUnclaimed({ until, probe }: Circuit): boolean {
    const nowMs = this.settings.now();
    return nowMs >= until && (probe === null || (probe.state !== "asked" && nowMs >= probe.until));
  }

  private async ask(circuit: Circuit, probe: Probe & { id: string }): Promise<boolean> {
    const { sharing, now } = this.settings;
    circuit.probe = probe;
    const answer = await sharing.claim(circuit, probe.id, GRANTED_MS);
    // It was closed, or opened anew.
    if (circuit.probe !== probe) return false;
    const isGranted = answer !== "refused";
    if (!isGranted) circuit.probe = { state: "elsewhere", id: null, until: now() + REFUSED_MS };
    else circuit.probe = { state: "granted", id: answer === "alone" ? null : probe.id, until: now() + GRANTED_MS };
    return isGranted;
  }

  private rest(circuit: Circuit, failure: CircuitFailure): void {
    const { now, random, limits, sharing } = this.settings;
    const nowMs = now();
    const isSoon = circuit.isOpen || nowMs - circuit.closedAt < CALM_MS;
    circuit.level = isSoon ? circuit.level + 1 : 1;
    circuit.cause = failure.cause;
    circuit.until = nowMs + restOf(failure, circuit.level, limits().restMaxMs, random());
    circuit.probe = null;
    if (!circuit.isOpen) this.markOpen(circuit);
    sharing.save(circuit);
  }

  private close(circuit: Circuit): void {
    this.shut(circuit, circuit.level);
    this.settings.sharing.save(circuit);
  }

  private markOpen(circuit: Circuit): void {
    circuit.isOpen = true;
    circuit.opening += 1;
    this.open += 1;
  }

  private shut(circuit: Circuit, level: number): void {
    const nowMs = this.settings.now();
    circuit.isOpen = false;
    circuit.level = level;
    circuit.closedAt = nowMs;
    circuit.probe = null;
    this.open -= 1;
    forgetCounts(circuit, nowMs);
  }

  private find(channelId: number, model: string): Circuit {
    let models = this.channels.get(channelId);
    if (!models) {
      models = new Map();
      this.channels.set(channelId, models);
    }
    let circuit = models.get(model);
    if (!circuit) {
      circuit = newCircuit(channelId, model, this.settings.now());
      models.set(model, circuit);
    }
    return circuit;
  }

  private remove({ channelId, model }: Circuit): void {
    const models = this.channels.get(channelId);
    models?.delete(model);
    if (models?.size === 0) this.channels.delete(channelId);
  }
}

function isCurrent({ circuit, opening }: Trial): boolean {
  return circuit.isOpen && circuit.opening === opening;
}

/** The probe in force, from what this process and the database know. */
function probeAfter(own: Probe | null, { probeId, probeMs }: CircuitRow, nowMs: number): Probe | null {
  if (own?.state === "asked" || (own !== null && own.state !== "elsewhere" && own.id === probeId)) return own;
  if (probeId === null || probeMs === null || probeMs <= 0) return null;
  return { state: "elsewhere", id: probeId, until: nowMs + probeMs };
}
