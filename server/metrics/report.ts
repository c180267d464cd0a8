import { readPools } from "@/db/pool-watch";
import { logger } from "@/lib/logger";
import { counter, type Family, gauge } from "@/lib/metrics/family";
import { watchProcess } from "@/lib/metrics/process-figures";

/** What the supervisor asks a process over their channel. */
export type Question = { type: "report?"; id: number; wantsFamilies: boolean };
/** `reason`: why it takes no work; null = it does. */
export type Report = { type: "report"; id: number; reason: string | null; families: Family[] };

type Sources = { reason: () => string | null; families: () => Family[] | Promise<Family[]> };

/** Answers the supervisor's questions about this process. Nothing is computed until it asks. */
export function answerReports({ reason, families }: Sources, isMeasured: boolean): void {
  const ofProcess = isMeasured ? watchProcess() : () => [];
  async function answer({ id, wantsFamilies }: Question): Promise<void> {
    const read = wantsFamilies ? [...(await families()), ...poolFamilies(), ...ofProcess()] : [];
    const report: Report = { type: "report", id, reason: reason(), families: read };
    process.send?.(report, undefined, undefined, ignore);
  }
  process.on("message", (message) => {
    if (!isQuestion(message)) return;
    answer(message).catch((error: unknown) => logger.error({ err: error }, "the figures of this process failed"));
  });
}

export function isReport(message: unknown): message is Report {
  return hasType(message, "report");
}

function isQuestion(message: unknown): message is Question {
  return hasType(message, "report?");
}

function hasType(message: unknown, type: string): boolean {
  return typeof message === "object" && message !== null && "type" in message && message.type === type;
}

/** The supervisor has gone; the process is about to end. */
function ignore(): void {}

/** The pools of connections to PostgreSQL of this process; `watchPools` has to come before they are opened. */
function poolFamilies(): Family[] {
  const pools = readPools();
  const values = (read: (pool: (typeof pools)[number]) => number) =>
    pools.map((pool) => ({ labels: { pool: pool.name }, value: read(pool) }));
  return [
    gauge("weir_pool_connections", "Connections to PostgreSQL by what they do", [
      ...pools.map(({ name, inUse }) => ({ labels: { pool: name, state: "in_use" }, value: inUse })),
      ...pools.map(({ name, inUse, max }) => ({ labels: { pool: name, state: "idle" }, value: max - inUse })),
    ]),
    gauge(
      "weir_pool_connections_max",
      "Connections to PostgreSQL that a pool may have",
      values(({ max }) => max),
    ),
    gauge(
      "weir_pool_waiting",
      "Statements and transactions that wait for a connection",
      values(({ waiting }) => waiting),
    ),
    counter(
      "weir_pool_waits_total",
      "Statements and transactions that had to wait for a connection",
      values(({ waits }) => waits),
    ),
  ].map((family) => ({ ...family, isPerRole: true }));
}
