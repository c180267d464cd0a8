import type { Ask, BookResult, Grant, HeldLease, LeaseKey } from "@/lib/billing/billing-store";
import { NodeNotRegistered } from "@/lib/billing/billing-store";
import type { SettlementRow } from "@/lib/billing/settlement-row";

export type Balance = { quota: number; reserved: number; used: number; count: number };
/** What requests cost upstream; `unknown` counts the costs that are not known. */
export type Costs = { cost: number; unbilled: number; unknown: number };
export type LogRow = Costs & { requestId: string; createdAt: number; userId: number; tokenId: number; quota: number };

/** What the database holds. Ids ascend, so that iteration is in the order of the real one. */
type State = {
  users: Map<number, Balance>;
  /** Limited tokens; `quota` is what remains. */
  tokens: Map<number, Balance & { userId: number }>;
  nodes: Map<string, string>;
  /** By node, then by `user:token`. */
  leases: Map<string, Map<string, number>>;
  logs: Map<string, LogRow>;
  /** Sums of costs by user, as usage_hourly has them. */
  metered: Map<number, Costs>;
  ledger: Map<number, number>;
};

export type ModelFlaws = {
  /** Books a settlement again that is in the log already. */
  booksTwice?: boolean;
  /** Books what comes from a process that is no longer registered. */
  booksForAnybody?: boolean;
};

/** The statements of lease-queries, settlement-batch, sweep and retire-commands, without a server. Each is atomic. */
export class ModelDatabase {
  private state: State = emptyState();
  private readonly flaws: ModelFlaws;
  private beats = 0;
  /** Changes with every change of an amount. */
  version = 0;

  private readonly wallClock: () => number;

  constructor(wallClock: () => number, flaws: ModelFlaws = {}) {
    this.wallClock = wallClock;
    this.flaws = flaws;
  }

  addUser(id: number, quota: number): void {
    this.state.users.set(id, { quota, reserved: 0, used: 0, count: 0 });
    this.state.ledger.set(id, quota);
  }

  addToken(id: number, userId: number, limit: number): void {
    this.state.tokens.set(id, { userId, quota: limit, reserved: 0, used: 0, count: 0 });
  }

  acquire(nodeId: string, key: LeaseKey, { needed, wanted, spare }: Ask): Grant {
    if (!this.state.nodes.has(nodeId)) {
      return { registered: false, balance: 0, available: 0, granted: 0, held: 0, elsewhere: 0 };
    }
    const row = this.balanceOf(key);
    const held = this.leaseOf(nodeId, key);
    const balance = row?.quota ?? 0;
    const reserved = row?.reserved ?? 0;
    const available = balance - reserved;
    const part = Math.max(Math.min(wanted, available), Math.min(wanted + spare, Math.floor(available / 16)));
    const granted = balance <= 0 || available < needed ? 0 : part;
    if (granted > 0 && row) {
      this.version += 1;
      this.setLease(nodeId, key, held + granted);
      row.reserved += granted;
    }
    return { registered: true, balance, available, granted, held, elsewhere: reserved - held };
  }

  trim(nodeId: string, key: LeaseKey, keep: number): number {
    const held = this.leaseOf(nodeId, key);
    const row = this.balanceOf(key);
    this.version += 1;
    if (held > keep && row) row.reserved -= held - keep;
    if (keep === 0) this.state.leases.get(nodeId)?.delete(nameOf(key));
    else if (held > keep) this.setLease(nodeId, key, keep);
    return held;
  }

  leasesOf(nodeId: string): HeldLease[] {
    return [...(this.state.leases.get(nodeId) ?? [])].map(([name, amount]) => ({ ...keyOf(name), amount }));
  }

  heartbeat(nodeId: string): boolean {
    const isKnown = this.state.nodes.has(nodeId);
    this.state.nodes.set(nodeId, `${this.wallClock()} ${++this.beats}`);
    return isKnown;
  }

  heartbeats(): { id: string; heartbeat: string }[] {
    return [...this.state.nodes].map(([id, heartbeat]) => ({ id, heartbeat }));
  }

  removeSilent(nodes: readonly { id: string; heartbeat: string }[]): number {
    const dead = nodes.filter(({ id, heartbeat }) => this.state.nodes.get(id) === heartbeat);
    for (const { id } of dead) this.leave(id);
    return dead.length;
  }

  leave(nodeId: string): void {
    for (const lease of this.leasesOf(nodeId)) this.trim(nodeId, lease, 0);
    this.state.leases.delete(nodeId);
    this.state.nodes.delete(nodeId);
  }

  book(nodeId: string | null, rows: readonly SettlementRow[]): BookResult {
    if (nodeId !== null && !this.flaws.booksForAnybody && !this.state.nodes.has(nodeId)) {
      throw new NodeNotRegistered("this process was swept");
    }
    const sums = new Map<string, LeaseKey & { cost: number; count: number }>();
    let inserted = 0;
    for (const { json } of rows) {
      const row = JSON.parse(json) as Record<string, number> & { request_id: string };
      const log = this.insertLog(row);
      if (!log) continue;
      inserted += 1;
      const count = row.type === 2 ? 1 : 0;
      this.state.metered.set(log.userId, addCosts(this.state.metered.get(log.userId) ?? NO_COSTS, log));
      addTo(sums, { userId: log.userId, tokenId: 0 }, log.quota, count);
      if (log.tokenId > 0) addTo(sums, { userId: log.userId, tokenId: log.tokenId }, log.quota, count);
    }
    this.version += 1;
    const charges = [...sums.values()].flatMap((sum) => this.charge(nodeId, sum) ?? []);
    return { inserted, charges };
  }

  retire(nodeId: string, settlements: readonly SettlementRow[], notes: readonly SettlementRow[]): number {
    const logged = this.findLogged(notes);
    const open = notes.filter((row) => !logged.has(row.requestId));
    this.book(this.state.nodes.has(nodeId) ? nodeId : null, [...settlements, ...open]);
    this.leave(nodeId);
    return open.length;
  }

  findLogged(requests: readonly SettlementRow[]): Set<string> {
    const logged = new Set(this.logs().map((row) => row.requestId));
    return new Set(requests.map(({ requestId }) => requestId).filter((id) => logged.has(id)));
  }

  post(userId: number, amount: number): void {
    const user = this.state.users.get(userId);
    if (!user) return;
    this.version += 1;
    user.quota += amount;
    this.state.ledger.set(userId, (this.state.ledger.get(userId) ?? 0) + amount);
  }

  isRegistered(nodeId: string): boolean {
    return this.state.nodes.has(nodeId);
  }

  logs(): LogRow[] {
    return [...this.state.logs.values()];
  }

  users(): ReadonlyMap<number, Balance> {
    return this.state.users;
  }

  tokens(): ReadonlyMap<number, Balance & { userId: number }> {
    return this.state.tokens;
  }

  metered(): ReadonlyMap<number, Costs> {
    return this.state.metered;
  }

  copy(): unknown {
    return structuredClone(this.state);
  }

  /** A fail-over to a replica that had not received the latest commits. */
  restore(copy: unknown): void {
    this.version += 1;
    this.state = copy as State;
  }

  /** The identities of lib/billing/README.md that do not hold. */
  differences(): string[] {
    const found: string[] = [];
    const logs = this.logs();
    for (const [id, user] of this.state.users) {
      const own = logs.filter((row) => row.userId === id);
      const used = own.reduce((sum, row) => sum + row.quota, 0);
      const leased = this.leased(({ userId, tokenId }) => userId === id && tokenId === 0);
      if (user.quota !== (this.state.ledger.get(id) ?? 0) - used) found.push(`quota of user ${id}`);
      if (user.used !== used || user.count !== own.length) found.push(`usage of user ${id}`);
      if (user.reserved !== leased || leased < 0) found.push(`reserved of user ${id}`);
      const { cost, unbilled, unknown } = this.state.metered.get(id) ?? NO_COSTS;
      const logged = own.reduce(addCosts, NO_COSTS);
      const isSame = cost === logged.cost && unbilled === logged.unbilled && unknown === logged.unknown;
      if (!isSame) found.push(`costs of user ${id}`);
    }
    for (const [id, token] of this.state.tokens) {
      const used = logs.filter((row) => row.tokenId === id).reduce((sum, row) => sum + row.quota, 0);
      if (token.used !== used) found.push(`usage of token ${id}`);
      if (token.reserved !== this.leased(({ tokenId }) => tokenId === id)) found.push(`reserved of token ${id}`);
    }
    return found;
  }

  private insertLog(row: Record<string, number> & { request_id: string }): LogRow | null {
    const key = `${row.request_id}@${row.created_at}`;
    const isKnown = this.state.logs.has(key);
    if (isKnown && !this.flaws.booksTwice) return null;
    const log = {
      requestId: row.request_id,
      createdAt: Number(row.created_at),
      userId: Number(row.user_id),
      tokenId: Number(row.token_id),
      quota: Number(row.quota),
      cost: Number(row.cost),
      unbilled: Number(row.unbilled_cost),
      unknown: Number(row.unknown_costs),
    };
    this.state.logs.set(isKnown ? `${key}#${this.state.logs.size}` : key, log);
    return log;
  }

  private charge(nodeId: string | null, sum: LeaseKey & { cost: number; count: number }) {
    const row = this.balanceOf(sum);
    if (!row) return null;
    const held = nodeId === null ? 0 : this.leaseOf(nodeId, sum);
    const dropped = Math.min(sum.cost, held);
    row.quota -= sum.cost;
    row.used += sum.cost;
    row.count += sum.count;
    row.reserved -= dropped;
    if (dropped > 0 && nodeId !== null) this.setLease(nodeId, sum, held - dropped);
    return { userId: sum.userId, tokenId: sum.tokenId, dropped, left: row.quota };
  }

  private balanceOf(key: LeaseKey): Balance | undefined {
    return key.tokenId === 0 ? this.state.users.get(key.userId) : this.state.tokens.get(key.tokenId);
  }

  private leaseOf(nodeId: string, key: LeaseKey): number {
    return this.state.leases.get(nodeId)?.get(nameOf(key)) ?? 0;
  }

  private setLease(nodeId: string, key: LeaseKey, amount: number): void {
    const leases = this.state.leases.get(nodeId) ?? new Map<string, number>();
    this.state.leases.set(nodeId, leases.set(nameOf(key), amount));
  }

  private leased(isMeant: (key: LeaseKey) => boolean): number {
    let sum = 0;
    for (const leases of this.state.leases.values()) {
      for (const [name, amount] of leases) if (isMeant(keyOf(name))) sum += amount;
    }
    return sum;
  }
}

function emptyState(): State {
  return {
    users: new Map(),
    tokens: new Map(),
    nodes: new Map(),
    leases: new Map(),
    logs: new Map(),
    metered: new Map(),
    ledger: new Map(),
  };
}

const NO_COSTS: Costs = { cost: 0, unbilled: 0, unknown: 0 };

function addCosts(a: Costs, b: Costs): Costs {
  return { cost: a.cost + b.cost, unbilled: a.unbilled + b.unbilled, unknown: a.unknown + b.unknown };
}

function addTo(
  sums: Map<string, LeaseKey & { cost: number; count: number }>,
  key: LeaseKey,
  cost: number,
  count: number,
): void {
  const sum = sums.get(nameOf(key)) ?? { ...key, cost: 0, count: 0 };
  sums.set(nameOf(key), { ...sum, cost: sum.cost + cost, count: sum.count + count });
}

const nameOf = ({ userId, tokenId }: LeaseKey) => `${userId}:${tokenId}`;

function keyOf(name: string): LeaseKey {
  const [userId, tokenId] = name.split(":").map(Number);
  return { userId: userId ?? 0, tokenId: tokenId ?? 0 };
}
