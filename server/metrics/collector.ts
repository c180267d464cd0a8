import type { ChildProcess } from "node:child_process";
import { AggregatorRegistry } from "prom-client";
import { counter, type Family, gauge, one } from "@/lib/metrics/family";
import { isReport, type Question, type Report } from "./report";

/** A place for a process. While one replaces another there are two in it, the newest last. */
export type Slot = { name: string; processes: () => readonly ChildProcess[] };

type Named = { name: string; role: string; process: ChildProcess };

export type SlotState = { name: string; role: string; reason: string | null };

type Settings = { slots: () => readonly Slot[]; waitMs?: number };

const WAIT_MS = 1_000;

/**
 * Asks all processes for their figures and adds them up. A process that does not answer in time is counted, and its gauges
 * are left out. What it counted up to its last answer stays in the sums, also after its end: a sum that falls would look
 * like a restart of everything, and rates would leap.
 */
export class Collector {
  private readonly slots: Settings["slots"];
  private readonly waitMs: number;
  private readonly counted = new Map<ChildProcess, Family[]>();
  /** The counts of processes that have ended. */
  private ended: Family[] = [];
  private silences = 0;
  private reading: Promise<string> | null = null;

  constructor({ slots, waitMs = WAIT_MS }: Settings) {
    this.slots = slots;
    this.waitMs = waitMs;
  }

  /** In Prometheus' text format. Readings at the same time share one. */
  read(): Promise<string> {
    this.reading ??= this.readOnce().finally(() => {
      this.reading = null;
    });
    return this.reading;
  }

  /** Whether each process takes work. */
  async states(): Promise<SlotState[]> {
    const slots = this.slots();
    const running = await Promise.all(
      named(slots).map(async ({ name, role, process }) => {
        const report = await askProcess(process, false, this.waitMs);
        return { name, role, reason: report ? report.reason : "silent" };
      }),
    );
    const starting = slots.filter((slot) => slot.processes().length === 0);
    return [...running, ...starting.map(({ name }) => ({ name, role: name, reason: "starting" }))];
  }

  private async readOnce(): Promise<string> {
    const slots = this.slots();
    const running = named(slots);
    const current: Family[][] = [];
    const answered = new Map<string, number>(slots.map(({ name }) => [name, 0]));
    await Promise.all(
      running.map(async ({ name, role, process }) => {
        const report = await askProcess(process, true, this.waitMs);
        if (!report) {
          this.silences += 1;
          return;
        }
        answered.set(role, (answered.get(role) ?? 0) + 1);
        const families = report.families.map((family) => withOrigin(family, name, role));
        this.counted.set(process, families.filter(isCount));
        current.push(families.filter((family) => !isCount(family)));
      }),
    );
    await this.retire(new Set(running.map(({ process }) => process)));
    const all = [...current, ...this.counted.values(), this.ended, this.own(answered)];
    return AggregatorRegistry.aggregate(all).metrics();
  }

  /** Keeps the counts of processes that are no longer there as one sum. */
  private async retire(running: ReadonlySet<ChildProcess>): Promise<void> {
    const gone = [...this.counted].filter(([process]) => !running.has(process));
    if (gone.length === 0) return;
    const counts = gone.map(([, families]) => families);
    for (const [process] of gone) this.counted.delete(process);
    const sum = AggregatorRegistry.aggregate([this.ended, ...counts]);
    this.ended = (await sum.getMetricsAsJSON()) as unknown as Family[];
  }

  private own(answered: ReadonlyMap<string, number>): Family[] {
    const values = [...answered].map(([role, value]) => ({ labels: { role }, value }));
    return [
      gauge("weir_processes", "Processes that answered the supervisor", values),
      counter("weir_silent_processes_total", "Readings without the answer of a process", one(this.silences)),
    ];
  }
}

function isCount({ type }: Family): boolean {
  return type !== "gauge";
}

function withOrigin(family: Family, process: string, role: string): Family {
  if (!family.isPerProcess && !family.isPerRole) return family;
  const origin = family.isPerProcess ? { process } : { role };
  const values = family.values.map((sample) => ({ ...sample, labels: { ...origin, ...sample.labels } }));
  return { ...family, values };
}

/** gateway-1, gateway-2, console-1: the same names after a restart. */
function named(slots: readonly Slot[]): Named[] {
  const counts = new Map<string, number>();
  return slots.flatMap((slot) => {
    const number = (counts.get(slot.name) ?? 0) + 1;
    counts.set(slot.name, number);
    const name = `${slot.name}-${number}`;
    return slot
      .processes()
      .toReversed()
      .map((process, age) => ({ name: age === 0 ? name : `${name}-before`, role: slot.name, process }));
  });
}

let questions = 0;

/** Null = it did not answer in time, or cannot any more. */
function askProcess(child: ChildProcess, wantsFamilies: boolean, waitMs: number): Promise<Report | null> {
  questions += 1;
  const question: Question = { type: "report?", id: questions, wantsFamilies };
  return new Promise((done) => {
    const timer = setTimeout(() => end(null), waitMs);
    function end(report: Report | null): void {
      clearTimeout(timer);
      child.off("message", onMessage);
      child.off("exit", onExit);
      done(report);
    }
    function onMessage(message: unknown): void {
      if (isReport(message) && message.id === question.id) end(message);
    }
    function onExit(): void {
      end(null);
    }
    child.on("message", onMessage);
    child.once("exit", onExit);
    child.send(question, (error) => {
      if (error) end(null);
    });
  });
}
