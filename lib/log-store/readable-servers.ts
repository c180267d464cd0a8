import { setTimeout as delay } from "node:timers/promises";
import { logger } from "@/lib/logger";
import { type LogServer, LogStoreAway, queryOn, type StatementOptions } from "./clickhouse/client";
import { LOG_TABLE } from "./clickhouse/tables";
import { logStoreOutage } from "./outage";
import { isUnreadable, reasonOf } from "./trouble";

export type ReadPatience = {
  /** Without an answer for so long, a server is asked whether it is alive, and the next one gets the statement as well. */
  stallMs: number;
  /** For the answer to whether it is alive. */
  pingMs: number;
  /** How often a server that could not be read is tried. */
  tryMs: number;
};

const PATIENCE: ReadPatience = { stallMs: 1_000, pingMs: 2_000, tryMs: 2_000 };

/**
 * Reads from the servers of a log store. One that cannot be read is left out until it can be again, which is tried apart from
 * all reads: only the first reader waits for a server that went without a word, and only for moments.
 */
export class ReadableServers {
  private readonly servers: readonly LogServer[];
  private readonly patience: ReadPatience;
  /** Since when (ms) servers cannot be read. */
  private readonly away = new Map<LogServer, number>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private hasEnded = false;

  constructor(servers: readonly LogServer[], patience: Partial<ReadPatience> = {}) {
    this.servers = servers;
    this.patience = { ...PATIENCE, ...patience };
  }

  /** Since when (ms) none can be read; null = one can. */
  get awaySince(): number | null {
    return this.away.size < this.servers.length ? null : Math.max(...this.away.values());
  }

  get awayServers(): string[] {
    return [...this.away.keys()].map(({ address }) => address);
  }

  /** Rows of a select. Throws what servers say of the statement, LogStoreAway, or why the last one cannot be read. */
  query<Row>(statement: string, options?: StatementOptions): Promise<Row[]> {
    const readable = this.servers.filter((server) => !this.away.has(server));
    return this.firstOf(readable, (server) => queryOn<Row>(server, statement, options));
  }

  end(): void {
    this.hasEnded = true;
    clearTimeout(this.timer);
  }

  private async firstOf<Result>(
    [server, ...others]: readonly LogServer[],
    read: (server: LogServer) => Promise<Result>,
  ): Promise<Result> {
    if (!server) throw new LogStoreAway("no server of the log store can be read");
    const answer = this.readFrom(server, read);
    const isSlow = !(await settlesWithin(answer, this.patience.stallMs));
    if (isSlow && !(await this.isAlive(server, answer))) {
      this.leaveOut(server, new LogStoreAway(`${server.address} gives no answer`));
      answer.catch(() => {});
      return this.firstOf(others, read);
    }
    if (isSlow && others.length > 0) return firstSuccess(answer, this.firstOf(others, read));
    try {
      return await answer;
    } catch (error) {
      if (!isUnreadable(error) || others.length === 0) throw error;
      return this.firstOf(others, read);
    }
  }

  private async readFrom<Result>(server: LogServer, read: (server: LogServer) => Promise<Result>): Promise<Result> {
    try {
      return await read(server);
    } catch (error) {
      if (isUnreadable(error)) this.leaveOut(server, error);
      throw error;
    }
  }

  /** Whether it says so, or answers what it was asked. On a connection of its own, as those of the pool may all wait. */
  private async isAlive(server: LogServer, answer: Promise<unknown>): Promise<boolean> {
    const ping = fetch(`${server.address}/ping`, { signal: AbortSignal.timeout(this.patience.pingMs) }).then(
      async (response) => {
        await response.body?.cancel();
        return true;
      },
      () => false,
    );
    return Promise.race([ping, answer.then(always, always)]);
  }

  private leaveOut(server: LogServer, error: unknown): void {
    if (this.hasEnded || this.away.has(server)) return;
    this.away.set(server, Date.now());
    if (this.servers.length > 1)
      logger.warn({ reason: reasonOf(error), server: server.address }, "a server of the log store cannot be read");
    if (this.awaySince !== null) logStoreOutage.failed("reading", error);
    this.tryLater();
  }

  private tryLater(): void {
    if (this.timer !== undefined || this.hasEnded) return;
    this.timer = setTimeout(() => void this.tryNow(), this.patience.tryMs).unref();
  }

  private async tryNow(): Promise<void> {
    await Promise.all([...this.away.keys()].map((server) => this.tryOne(server)));
    this.timer = undefined;
    if (this.away.size > 0) this.tryLater();
  }

  private async tryOne(server: LogServer): Promise<void> {
    try {
      await queryOn(server, `select 1 from ${LOG_TABLE} limit 1`, { timeoutMs: this.patience.pingMs });
    } catch {
      // It has been reported; the next try is soon.
      return;
    }
    this.away.delete(server);
    logStoreOutage.worked("reading");
    if (this.servers.length > 1) logger.info({ server: server.address }, "a server of the log store can be read again");
  }
}

const always = () => true;

function settlesWithin(answer: Promise<unknown>, ms: number): Promise<boolean> {
  const waiting = new AbortController();
  const settled = answer.then(always, always).finally(() => waiting.abort());
  return Promise.race([settled, delay(ms, false, { signal: waiting.signal }).catch(always)]);
}

/** What comes first; an error only when there is no success, and then that of the first. */
async function firstSuccess<Result>(first: Promise<Result>, second: Promise<Result>): Promise<Result> {
  try {
    return await Promise.any([first, second]);
  } catch (error) {
    throw error instanceof AggregateError ? error.errors[0] : error;
  }
}
