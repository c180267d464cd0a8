import { createJournal, type Journal } from "@/lib/billing/journal";
import { createLeaseBook, type LeaseBook, type Reservation } from "@/lib/billing/lease";
import { createJournalReplayer } from "@/lib/billing/replay-journals";
import { createSettler, type Settler } from "@/lib/billing/settle";
import { createNodeSweeper } from "@/lib/billing/sweep";
import type { Timers } from "@/lib/billing/timers";
import { isReservation, settlementOf } from "@/lib/testing/settlement";
import { FakeTime, Random } from "./fake-time";
import { type Client, FaultyServer, type ServerFlaws, type Traced } from "./faulty-server";
import { costOf } from "./model-costs";
import { ModelDatabase, type ModelFlaws } from "./model-database";
import { type FolderFlaws, ModelFolder } from "./model-folder";
import { type RequestStory, violationsOf } from "./verdict";

/** Deliberate mistakes, to see that the simulation finds them. */
export type Flaws = ModelFlaws & ServerFlaws & FolderFlaws & { keepsNoJournal?: boolean; sweepsByTheClock?: boolean };

export type Outcome = {
  violations: string[];
  trace: Traced[];
  hadFailover: boolean;
  requests: number;
  charges: number;
  /** As it is at the end. */
  database: ModelDatabase;
};

type Gateway = Client & {
  leaseBook: LeaseBook;
  settler: Settler;
  journal: Journal;
  timers: Timers;
  stopReplays: () => void;
};

const [ACTIVE_MS, QUIET_MS, STOP_MS] = [4_000, 90_000, 60_000];
const USERS = [1, 2];
const TOKEN = { id: 7, userId: 1 };

/** One random run of a few processes with everything that can go wrong; the same seed gives the same run. */
export async function runInterleaving(seed: number, flaws: Flaws = {}): Promise<Outcome> {
  const { stackTraceLimit } = Error;
  // Thousands of lost connections are errors that nobody prints; their stacks take a tenth of the time.
  Error.stackTraceLimit = 0;
  try {
    return await new Interleaving(seed, flaws).run();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
    // An interleaving itself leaves no turn of the event loop to the test runner.
    await new Promise(setImmediate);
  }
}

class Interleaving {
  private readonly time = new FakeTime();
  private readonly random: Random;
  private readonly flaws: Flaws;
  private readonly folder: ModelFolder;
  private readonly server: FaultyServer;
  private readonly database: ModelDatabase;
  private readonly gateways: Gateway[] = [];
  private readonly stories: RequestStory[] = [];
  private readonly found = new Set<string>();
  private readonly lost = new Set<string>();
  private readonly worker: Client = { nodeId: "", isAlive: true, onNotice() {}, onConnect() {} };
  private clockJumpMs = 0;
  private diskLacksUntil = 0;
  private ids = 0;
  private checkedVersion = -1;
  private hadFailover = false;
  /** Costs beyond the reservation, money taken away and leases given twice can overdraw a balance. */
  private mayOverdraw = false;
  private readonly overruns: boolean;
  private readonly crashesAtEnd: boolean;
  private losesPowerAtEnd: boolean;

  constructor(seed: number, flaws: Flaws) {
    this.random = new Random(seed);
    this.flaws = flaws;
    this.database = new ModelDatabase(() => this.time.now + this.clockJumpMs, flaws);
    this.server = new FaultyServer(this.database, this.time, this.random, flaws);
    this.folder = new ModelFolder(this.time, this.random, flaws);
    this.overruns = this.random.chance(0.15);
    this.mayOverdraw = this.overruns;
    this.crashesAtEnd = this.random.chance(0.15);
    this.losesPowerAtEnd = this.random.chance(0.1);
    for (const id of USERS) this.addUser(id, 100 + this.random.below(1_400));
    const limit = 100 + this.random.below(1_500);
    this.database.addToken(TOKEN.id, TOKEN.userId, limit);
    this.server.trace.push({ name: "addToken", args: [TOKEN.id, TOKEN.userId, limit], result: undefined });
  }

  private addUser(id: number, quota: number): void {
    this.database.addUser(id, quota);
    this.server.trace.push({ name: "addUser", args: [id, quota], result: undefined });
  }

  async run(): Promise<Outcome> {
    for (let i = 0; i < 2; i++) this.startGateway();
    this.startSweeper();
    const requests = 6 + this.random.below(10);
    for (let i = 0; i < requests; i++) this.at(() => this.startRequest());
    this.planFaults();
    await this.runFor(ACTIVE_MS);
    this.endFaults();
    await this.runFor(QUIET_MS);
    this.checkQuiet();
    await this.stopAll();
    for (const violation of violationsOf(this.stories, this.database.logs(), this.lost)) this.found.add(violation);
    const { database, hadFailover } = this;
    const charges = database.logs().length;
    return { violations: [...this.found], trace: this.server.trace, hadFailover, requests, charges, database };
  }

  private at(run: () => void): void {
    this.time.after(this.random.next() * ACTIVE_MS, run);
  }

  private runFor(ms: number): Promise<void> {
    return this.time.runUntil(this.time.now + ms, () => this.check());
  }

  private check(): void {
    if (this.database.version === this.checkedVersion) return;
    this.checkedVersion = this.database.version;
    for (const difference of this.database.differences()) this.found.add(`identity: ${difference}`);
    if (this.mayOverdraw) return;
    for (const [id, { quota }] of this.database.users()) if (quota < 0) this.found.add(`user ${id} overdrawn`);
    for (const [id, { quota }] of this.database.tokens()) if (quota < 0) this.found.add(`token ${id} overdrawn`);
  }

  private startGateway(): void {
    const nodeId = `00000000-0000-4000-8000-${String(++this.ids).padStart(12, "0")}`;
    const client: Client = { nodeId, isAlive: true, onNotice() {}, onConnect() {} };
    const timers = this.time.timersOf(() => client.isAlive);
    const leaseBook = createLeaseBook({ store: this.server.leaseStore(client), nodeId, timers });
    const journal = createJournal({ folder: this.folder, nodeId, owner: nodeId, timers, segmentBytes: 4_096 });
    const settler = createSettler({
      store: this.server.settlementStore(client, () => this.found.add("a sound charge was refused")),
      nodeId,
      leaseBook,
      timers,
      ...(this.flaws.keepsNoJournal ? {} : { journal }),
    });
    const stopReplays = this.startReplays(client, settler, timers);
    const gateway = Object.assign(client, { leaseBook, settler, journal, timers, stopReplays });
    this.gateways.push(gateway);
    this.retryStart(gateway);
  }

  /** A process that cannot reach its database at the start tries again, as under its supervisor. */
  private retryStart(gateway: Gateway): void {
    gateway.leaseBook.start().catch(() => gateway.timers.after(500, () => this.retryStart(gateway)));
  }

  private startReplays(client: Client, settler: Settler, timers: Timers): () => void {
    const { server, database } = this;
    const replay = createJournalReplayer({
      folder: this.folder,
      nodeId: client.nodeId,
      owner: client.nodeId,
      isOurs: () => true,
      isAlive: (owner) => this.isOwnerAlive(owner),
      retire: (nodeId, settlements, notes) =>
        server.run(client, "retire", [nodeId, settlements, notes], () => {
          // Its leases are gone already, and others may have been admitted on them.
          if (!database.isRegistered(nodeId)) this.mayOverdraw = true;
          return database.retire(nodeId, settlements, notes);
        }),
      isRegistered: (nodeId) => server.run(client, "", [], () => database.isRegistered(nodeId)),
      findLogged: (rows) => server.run(client, "", [], () => database.findLogged(rows)),
      settle: (row) => settler.settleRow(row),
      timers,
    });
    let isRunning = false;
    const scan = (): void => {
      if (isRunning) return;
      isRunning = true;
      replay()
        .catch(() => {})
        .finally(() => {
          isRunning = false;
        });
    };
    timers.after(1, scan);
    return timers.every(5_000, scan);
  }

  /** Of a file whose first line is on its way it cannot be told. */
  private isOwnerAlive(owner: string): boolean | null {
    return owner === "" ? null : this.gateways.some(({ nodeId, isAlive }) => nodeId === owner && isAlive);
  }

  private startSweeper(): void {
    const timers = this.time.timersOf(() => true);
    const store = this.server.sweepStore(this.worker, (ids) => {
      const alive = ids.filter((id) => this.gateways.some(({ nodeId, isAlive }) => nodeId === id && isAlive));
      if (alive.length > 0) this.found.add("a live process was swept");
    });
    const sweep = createNodeSweeper(timers);
    const byTheClock = async (): Promise<void> => {
      const old = (await store.heartbeats()).filter(
        ({ heartbeat }) => this.time.now + this.clockJumpMs - Number.parseFloat(heartbeat) > 30_000,
      );
      if (old.length > 0) await store.removeSilent(old);
    };
    timers.every(5_000, () => void (this.flaws.sweepsByTheClock ? byTheClock() : sweep(store)).catch(() => {}));
  }

  private startRequest(): void {
    const alive = this.gateways.filter(({ isAlive }) => isAlive);
    const gateway = alive[this.random.below(alive.length)];
    if (!gateway?.settler.hasRoom()) return;
    const userId = USERS[this.random.below(USERS.length)] ?? 1;
    const tokenId = userId === TOKEN.userId && this.random.chance(0.6) ? TOKEN.id : null;
    const amount = 20 + this.random.below(400);
    const story: RequestStory = {
      id: `request-${++this.ids}`,
      userId,
      tokenId,
      notes: [],
      hasAnswer: false,
      isBooked: false,
    };
    this.stories.push(story);
    story.isOnDeadProcess = () => !gateway.isAlive;
    Promise.resolve(gateway.leaseBook.reserve({ userId, tokenId, amount })).then(
      (answer) => {
        story.hasAnswer = true;
        if (isReservation(answer)) this.serve(gateway, story, answer);
      },
      () => {
        story.hasAnswer = true;
      },
    );
  }

  private serve(gateway: Gateway, story: RequestStory, reservation: Reservation): void {
    const most = this.overruns && this.random.chance(0.4) ? reservation.amount * 3 : reservation.amount;
    const cost = this.random.chance(0.5) ? most : this.random.below(most + 1);
    const durationMs = this.random.chance(0.4) ? 1_000 + this.random.next() * 3_000 : this.random.next() * 200;
    const startedAt = this.time.now;
    const endNotes = gateway.timers.every(1_000, () => {
      const costSoFar = Math.floor((cost * (this.time.now - startedAt)) / durationMs);
      gateway.settler.note(this.settlement(story, costSoFar, null));
      story.notes.push({ cost: costSoFar, at: this.time.now });
    });
    gateway.timers.after(durationMs, () => {
      endNotes();
      if (this.random.chance(0.1)) {
        if (story.notes.length > 0) gateway.settler.forget(story.id);
        story.forgottenAt = this.time.now;
        return gateway.leaseBook.release(reservation);
      }
      story.settled = { cost, at: this.time.now };
      // The journal knows what the stream had cost before, the database may learn the rest at any time.
      if (this.crashesAtEnd && story.notes.length > 0)
        this.time.after(this.random.next() ** 4 * 30, () => this.kill(gateway, false));
      gateway.settler.settle(this.settlement(story, cost, reservation)).then(() => {
        story.isBooked = true;
        if (this.losesPowerAtEnd) this.time.after(this.random.next() * 10, () => this.kill(gateway, true));
        this.losesPowerAtEnd = false;
      });
    });
  }

  private settlement({ id, userId, tokenId }: RequestStory, quota: number, reservation: Reservation | null) {
    const createdAt = 1_790_000_000 + Math.floor(this.time.now / 1_000);
    return settlementOf({
      requestId: id,
      createdAt,
      userId,
      tokenId: tokenId ?? 0,
      quota,
      cost: costOf(quota),
      reservation,
    });
  }

  private planFaults(): void {
    const { random } = this;
    if (random.chance(0.45)) this.at(() => this.crash(false));
    if (random.chance(0.1)) this.at(() => this.crash(true));
    if (random.chance(0.4))
      this.at(() => this.outage(random.chance(0.15) ? 25_000 + random.next() * 20_000 : random.next() * 6_000));
    if (random.chance(0.15)) this.at(() => this.failOver());
    if (random.chance(0.15)) this.at(() => this.terminate());
    if (random.chance(0.15)) this.at(() => this.post());
    if (random.chance(0.2))
      this.at(() => {
        this.clockJumpMs += (random.next() - 0.3) * 200_000;
      });
    if (random.chance(0.05)) this.at(() => this.fillDisk());
  }

  private crash(withPower: boolean): void {
    const alive = this.gateways.filter(({ isAlive }) => isAlive);
    if (alive.length > 0) this.kill(alive[this.random.below(alive.length)] as Gateway, withPower);
  }

  private kill(gateway: Gateway, withPower: boolean): void {
    if (!gateway.isAlive) return;
    gateway.isAlive = false;
    this.folder.end(gateway.nodeId);
    if (withPower) this.folder.losePower(gateway.nodeId, this.random);
    for (const story of this.stories) {
      if (story.isOnDeadProcess?.() && story.crashedAt === undefined) {
        story.crashedAt = this.time.now;
        story.isExcused = this.time.now < this.diskLacksUntil || withPower;
      }
    }
    this.time.after(200, () => this.startGateway());
  }

  private outage(ms: number): void {
    this.server.goAway();
    this.time.after(ms, () => this.server.comeBack());
  }

  /** The latest commits are gone, and with them charges that were acknowledged: that is what such a replica means. */
  private failOver(): void {
    const before = this.database.copy();
    this.time.after(this.random.next() * 300, () => {
      this.hadFailover = this.mayOverdraw = true;
      const logged = this.database.logs();
      this.database.restore(before);
      const kept = new Set(this.database.logs().map(({ requestId }) => requestId));
      for (const { requestId } of logged) if (!kept.has(requestId)) this.lost.add(requestId);
      this.outage(200);
    });
  }

  /** SIGTERM, half of the time while the database is away. */
  private terminate(): void {
    const gateway = this.gateways.find(({ isAlive }) => isAlive);
    if (!gateway) return;
    if (this.random.chance(0.5)) this.outage(3_000 + this.random.next() * 5_000);
    void this.stopGateway(gateway).then(() => this.time.after(200, () => this.startGateway()));
  }

  private async stopGateway(gateway: Gateway): Promise<void> {
    gateway.stopReplays();
    gateway.settler.hurry();
    await gateway.settler.drain();
    // Streams of it that still ran are cut off; what is queued until then is settled.
    await gateway.leaseBook.stop().catch(() => {});
    await gateway.settler.drain();
    await gateway.journal.close().catch(() => {});
    gateway.isAlive = false;
    for (const story of this.stories) {
      if (!story.isOnDeadProcess?.() || story.crashedAt !== undefined) continue;
      story.crashedAt = this.time.now;
      story.isExcused = this.time.now < this.diskLacksUntil;
    }
  }

  private post(): void {
    const userId = USERS[this.random.below(USERS.length)] ?? 1;
    const amount = this.random.below(1_000) - 400;
    this.database.post(userId, amount);
    this.server.trace.push({ name: "post", args: [userId, amount], result: undefined });
    if (amount >= 0) return;
    this.mayOverdraw = true;
    this.server.notify(`${userId}:0:`);
  }

  private fillDisk(): void {
    this.folder.isFull = true;
    // A journal that met a full disk tries again a second later.
    this.diskLacksUntil = this.time.now + 2_000 + 1_100;
    this.time.after(2_000, () => {
      this.folder.isFull = false;
    });
  }

  private endFaults(): void {
    this.folder.isFull = false;
    this.server.endFaults();
  }

  private checkQuiet(): void {
    for (const [id, { reserved }] of this.database.users())
      if (reserved !== 0) this.found.add(`quota of user ${id} stays reserved`);
    for (const [id, { reserved }] of this.database.tokens())
      if (reserved !== 0) this.found.add(`quota of token ${id} stays reserved`);
    for (const story of this.stories) {
      const isAlive = story.crashedAt === undefined && !story.isOnDeadProcess?.();
      if (isAlive && !story.hasAnswer) this.found.add(`${story.id} waits for its reservation`);
      if (isAlive && story.settled && !story.isBooked) this.found.add(`${story.id} waits for its settlement`);
    }
  }

  private async stopAll(): Promise<void> {
    for (const gateway of this.gateways) if (gateway.isAlive) void this.stopGateway(gateway);
    await this.runFor(STOP_MS);
    if (this.gateways.some(({ isAlive }) => isAlive)) this.found.add("a process does not stop");
    if (this.database.heartbeats().length > 0) this.found.add("a node stays registered");
    if (this.folder.left().length > 0) this.found.add("a journal stays");
  }
}
