import type { Worker } from "node:worker_threads";

export type Encoding = "o200k_base" | "cl100k_base";

/** Models before gpt-4o, also fine-tuned or with a vendor's prefix; gpt-4o, gpt-4.1 and gpt-4.5 are not among them. */
const OLDER = /^(?:.*\/)?(?:ft:)?(?:gpt-4(?![.o\d])|gpt-3\.?5|text-embedding-)/;

/** The encoding to count a model's tokens with. Other families publish none, so they are counted as current OpenAI models. */
export function encodingOf(model: string): Encoding {
  return OLDER.test(model) ? "cl100k_base" : "o200k_base";
}

export type CountRequest = { encoding: Encoding; texts: readonly string[] };
/** What the thread answers. */
export type CountReply = { tokens: number } | { error: string };
export type CountThread = Pick<Worker, "postMessage" | "on" | "terminate" | "unref">;

export type CounterSettings = {
  startThread: () => CountThread;
  /** Called with the reason when texts were not counted. */
  onMissed: (reason: string) => void;
  /** How long a count may take, with its wait. */
  countMs: number;
  /** Counts that may wait or run at a time. */
  countsMax: number;
  /** How long no thread is started after one that ended without any answer. */
  restMs: number;
};

/** How many times as long as a count a thread may take to start: it loads its tables then. */
const START_TIMES = 10;

/** Of `countsMax`, for counts that nobody is charged by. */
const FREE_SHARE = 1 / 8;

type Job = { request: CountRequest; timer: NodeJS.Timeout; done: (tokens: number | null) => void };

/** Counts tokens in a thread of its own, one request after the other, so that the event loop does not wait for it. */
export class TokenCounter {
  private readonly settings: CounterSettings;
  private readonly jobs = new Set<Job>();
  private readonly freeJobs = new Set<Job>();
  private running: { job: Job; since: number } | null = null;
  private thread: CountThread | null = null;
  private hasAnswered = false;
  private restsUntil = 0;

  constructor(settings: CounterSettings) {
    this.settings = settings;
  }

  /**
   * Never rejects; null = not counted: too many are waiting, it took too long, or the thread died. `isFree`: nobody is
   * charged by it, so that it lets those go first which somebody is, and a few of it may wait.
   */
  count(request: CountRequest, isFree = false): Promise<number | null> {
    const { countsMax } = this.settings;
    const jobs = isFree ? this.freeJobs : this.jobs;
    if (jobs.size >= (isFree ? Math.ceil(countsMax * FREE_SHARE) : countsMax))
      return this.missed("too many texts wait to be counted");
    if (performance.now() < this.restsUntil) return this.missed("the thread that counts cannot be started");
    return new Promise((done) => {
      // The timer also keeps the process alive until the count is there; the thread itself does not.
      const timer = setTimeout(() => this.expire(job), this.settings.countMs);
      const job: Job = { request, timer, done };
      jobs.add(job);
      this.next();
    });
  }

  private missed(reason: string): Promise<null> {
    this.settings.onMissed(reason);
    return Promise.resolve(null);
  }

  private next(): void {
    const [job = this.freeJobs.values().next().value] = this.jobs;
    if (this.running || !job) return;
    this.running = { job, since: performance.now() };
    try {
      this.thread ??= this.start();
      this.thread.postMessage(job.request);
    } catch (error) {
      this.running = null;
      this.fail(job, `the thread that counts failed: ${error}`);
      this.next();
    }
  }

  private start(): CountThread {
    const thread = this.settings.startThread();
    this.hasAnswered = false;
    let reason = "it ended";
    thread.on("message", (reply: CountReply) => {
      if (thread === this.thread) this.receive(reply);
    });
    thread.on("error", (error) => {
      reason = String(error);
    });
    thread.on("exit", () => {
      if (thread === this.thread) this.lose(reason);
    });
    // After the listeners, which hold the process.
    thread.unref();
    return thread;
  }

  private receive(reply: CountReply): void {
    const { running } = this;
    this.hasAnswered = true;
    this.running = null;
    if (running && "tokens" in reply) this.settle(running.job, reply.tokens);
    else if (running && "error" in reply) this.fail(running.job, reply.error);
    this.next();
  }

  /** The thread has ended: what it was counting is given up, the rest goes to a new one if this one had worked. */
  private lose(reason: string): void {
    const { running } = this;
    this.thread = null;
    this.running = null;
    const lost = this.hasAnswered ? (running ? [running.job] : []) : [...this.jobs, ...this.freeJobs];
    if (!this.hasAnswered) this.restsUntil = performance.now() + this.settings.restMs;
    for (const job of lost) this.fail(job, `the thread that counts is gone: ${reason}`);
    this.next();
  }

  private expire(job: Job): void {
    this.fail(job, "counting took too long");
    const { running, thread } = this;
    const hangsMs = this.settings.countMs * (this.hasAnswered ? 1 : START_TIMES);
    // Timers can be a millisecond early.
    if (!running || !thread || performance.now() - running.since < hangsMs - 1) return;
    this.thread = null;
    this.running = null;
    void thread.terminate();
    this.fail(running.job, "counting took too long");
    this.next();
  }

  private fail(job: Job, reason: string): void {
    if (!this.jobs.has(job) && !this.freeJobs.has(job)) return;
    this.settings.onMissed(reason);
    this.settle(job, null);
  }

  private settle(job: Job, tokens: number | null): void {
    if (!this.jobs.delete(job) && !this.freeJobs.delete(job)) return;
    clearTimeout(job.timer);
    job.done(tokens);
  }
}
