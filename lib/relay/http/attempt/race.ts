import type { Exchange } from "../exchange";

/** An attempt in a race. */
export type Runner = {
  /** The upstream has got the request. */
  readonly wasSent: boolean;
  /** Ends it at once; nothing of it is sent. */
  cancel(): void;
};

/** `isAnswer`: it has something for the caller; else the caller has left, and its end is the request's. */
type OnLead = (lane: Lane, isAnswer: boolean) => void;

/**
 * Attempts at one request that run side by side. The first that has something for the caller leads; all others are
 * cancelled before it sends anything, so that only one ever sends. When the caller leaves earlier, one that the upstream
 * has got leads.
 */
export class Race {
  leader: Lane | null = null;
  private readonly exchange: Exchange;
  private readonly onLead: OnLead;
  private readonly lanes: Lane[] = [];

  constructor(exchange: Exchange, onLead: OnLead) {
    this.exchange = exchange;
    this.onLead = onLead;
  }

  enter(): Lane {
    const lane = new Lane(this);
    this.lanes.push(lane);
    return lane;
  }

  lead(lane: Lane, isAnswer: boolean): void {
    if (this.leader) return;
    this.leader = lane;
    for (const other of this.lanes) if (other !== lane) other.lose();
    lane.onLead?.();
    this.onLead(lane, isAnswer);
  }

  /** The exchange tells one listener only. */
  listen(): void {
    this.exchange.whenGone(this.lanes.some(({ isRunning }) => isRunning) ? this.onGone : null);
  }

  private readonly onGone = (): void => {
    const { leader, lanes } = this;
    const lane = leader ?? lanes.find(({ wasSent }) => wasSent) ?? lanes.find(({ isRunning }) => isRunning);
    if (!lane) return;
    this.lead(lane, false);
    lane.gone();
  };
}

/** One place in a race, for the attempts that follow each other at one channel. */
export class Lane {
  /** When the latest attempt began; 0 = none has. */
  startedAt = 0;
  isLost = false;
  /** Called once, at once, when this lane leads. */
  onLead: (() => void) | null = null;
  /** Called once, at once, when another lane leads. */
  onLost: ((wasSent: boolean) => void) | null = null;
  private readonly race: Race;
  private runner: Runner | null = null;
  private onGone: (() => void) | null = null;
  private hasLeft = false;

  constructor(race: Race) {
    this.race = race;
  }

  get isRunning(): boolean {
    return this.runner !== null;
  }

  get wasSent(): boolean {
    return this.runner?.wasSent === true;
  }

  /** An attempt begins; it is cancelled at once when the race is lost. `onGone`: the caller has left. */
  start(runner: Runner, onGone: () => void): void {
    if (this.isLost) {
      runner.cancel();
      return;
    }
    this.startedAt = performance.now();
    this.runner = runner;
    this.onGone = onGone;
    this.race.listen();
  }

  /** The attempt is over. */
  stop(): void {
    if (!this.runner) return;
    this.runner = null;
    this.onGone = null;
    this.race.listen();
  }

  /** Call it before anything is sent, and when a whole answer is there. */
  lead(): void {
    this.race.lead(this, true);
  }

  /** Its channel has failed; the others go on. */
  leave(): void {
    this.hasLeft = true;
  }

  lose(): void {
    if (this.hasLeft || this.isLost) return;
    const { wasSent } = this;
    this.isLost = true;
    this.runner?.cancel();
    this.onLost?.(wasSent);
  }

  gone(): void {
    this.onGone?.();
  }
}
