import type { LeaseStore, SettlementStore } from "@/lib/billing/billing-store";
import type { SweepStore } from "@/lib/billing/sweep";
import type { FakeTime, Random } from "./fake-time";
import type { ModelDatabase } from "./model-database";

/** One statement as it was carried out, so that the real database can be asked the same. */
export type Traced = { name: string; args: unknown[]; result: unknown };

export type Client = { nodeId: string; isAlive: boolean; onNotice: (text: string) => void; onConnect: () => void };

export type ServerFlaws = {
  /** Answers a grant although its transaction was rolled back: as if the grant were added before its commit. */
  grantsBeforeCommit?: boolean;
};

/** The result of a statement of a process that was swept. */
export const NOT_REGISTERED = "not registered";
const DELAY_MS = 6;
const LONG_DELAY_MS = 2_500;

/** A connection to the model whose statements take time and get lost, before or after they take effect. */
export class FaultyServer {
  isAway = false;
  readonly trace: Traced[] = [];
  readonly database: ModelDatabase;
  private readonly time: FakeTime;
  private readonly random: Random;
  private readonly flaws: ServerFlaws;
  private readonly clients: Client[] = [];
  private faults: number;
  /** Statements of an earlier epoch were cut off by an outage. */
  private epoch = 0;

  constructor(database: ModelDatabase, time: FakeTime, random: Random, flaws: ServerFlaws) {
    this.database = database;
    this.time = time;
    this.random = random;
    this.flaws = flaws;
    this.faults = [0.01, 0.03, 0.12][random.below(3)] ?? 0;
  }

  goAway(): void {
    this.isAway = true;
    this.epoch += 1;
  }

  comeBack(): void {
    this.isAway = false;
    for (const client of this.clients) if (client.isAlive) this.time.after(this.delay(), client.onConnect);
  }

  endFaults(): void {
    this.faults = 0;
  }

  notify(text: string): void {
    for (const client of this.clients) {
      this.time.after(this.delay(), () => {
        if (client.isAlive && !this.isAway) client.onNotice(text);
      });
    }
  }

  leaseStore(client: Client): LeaseStore {
    const { database } = this;
    return {
      acquire: (nodeId, key, ask) => {
        const ifRolledBack = this.flaws.grantsBeforeCommit
          ? () => rolledBack(database, () => database.acquire(nodeId, key, ask))
          : null;
        return this.run(
          client,
          "acquire",
          [nodeId, keyOf(key), ask],
          () => database.acquire(nodeId, key, ask),
          ifRolledBack,
        );
      },
      trim: (nodeId, key, keep) =>
        this.run(client, "trim", [nodeId, keyOf(key), keep], () => database.trim(nodeId, key, keep)),
      leasesOf: (nodeId) => this.run(client, "leasesOf", [nodeId], () => database.leasesOf(nodeId)),
      heartbeat: (nodeId) => this.run(client, "heartbeat", [nodeId], () => database.heartbeat(nodeId)),
      askForReturns: (nodeId, key) =>
        this.run(client, "", [], () => this.notify(`${key.userId}:${key.tokenId}:${nodeId}`)),
      leave: (nodeId) => this.run(client, "leave", [nodeId], () => database.leave(nodeId)),
      listen: async (onNotice, onConnect) => {
        Object.assign(client, { onNotice, onConnect });
        this.clients.push(client);
        return async () => {};
      },
    };
  }

  settlementStore(client: Client, onRefused: () => void): SettlementStore {
    return {
      book: (nodeId, rows) => this.run(client, "book", [nodeId, rows], () => this.database.book(nodeId, rows)),
      keepRefused: async () => onRefused(),
    };
  }

  sweepStore(client: Client, onSwept: (ids: string[]) => void): SweepStore {
    return {
      heartbeats: () => this.run(client, "", [], () => this.database.heartbeats()),
      removeSilent: (nodes) =>
        this.run(client, "", [], () => {
          const before = this.database.heartbeats().map(({ id }) => id);
          const removed = this.database.removeSilent(nodes);
          const gone = before.filter((id) => !this.database.isRegistered(id));
          for (const id of gone) this.trace.push({ name: "leave", args: [id], result: undefined });
          onSwept(gone);
          return removed;
        }),
    };
  }

  /** A statement of any kind; `name` "" = not traced. */
  run<T>(
    client: Client,
    name: string,
    args: unknown[],
    apply: () => T,
    ifRolledBack: (() => T) | null = null,
  ): Promise<T> {
    const { time, random, faults } = this;
    const epoch = this.epoch;
    return new Promise<T>((resolve, reject) => {
      const answer = (give: () => void): void => void time.after(this.delay(), () => client.isAlive && give());
      const lose = (): void => answer(() => reject(new Error("CONNECTION_CLOSED")));
      if (this.isAway) return lose();
      time.after(this.delay(), () => {
        if (this.epoch !== epoch) return lose();
        if (random.chance(faults)) {
          if (!ifRolledBack) return lose();
          const early = ifRolledBack();
          return answer(() => resolve(early));
        }
        let outcome: () => void;
        try {
          const result = apply();
          if (name !== "") this.trace.push({ name, args, result: structuredClone(result) });
          outcome = () => resolve(result);
        } catch (error) {
          if (name !== "") this.trace.push({ name, args, result: NOT_REGISTERED });
          outcome = () => reject(error);
        }
        // Carried out, but the reply is lost; or it never comes, which the caller's time limit must notice.
        if (random.chance(faults)) return random.chance(0.2) ? undefined : lose();
        return answer(outcome);
      });
    });
  }

  private delay(): number {
    return this.random.chance(this.faults) ? this.random.next() * LONG_DELAY_MS : this.random.next() * DELAY_MS;
  }
}

function rolledBack<T>(database: ModelDatabase, apply: () => T): T {
  const before = database.copy();
  const result = apply();
  database.restore(before);
  return result;
}

const keyOf = ({ userId, tokenId }: { userId: number; tokenId: number }) => ({ userId, tokenId });
