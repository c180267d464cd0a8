import type { SettlementRow } from "./settlement-row";

/** Identifies a slice: of a user's balance (tokenId 0) or of a token's limit. */
export type LeaseKey = { userId: number; tokenId: number };

export type Ask = {
  /** What the first waiting request still needs; less than this is never granted. */
  needed: number;
  /** What all waiting requests still need together. */
  wanted: number;
  /** What the first waiting request would take of a balance that has twice as much. */
  whole: number;
  /** Extra quota to request in advance; granted only when much is available. */
  spare: number;
};

export type Grant = {
  /** False = this node is no longer registered and got nothing. */
  registered: boolean;
  /** The user's balance, or the remaining limit of a token; 0 when the row does not exist. */
  balance: number;
  /** Unreserved quota before this statement. */
  available: number;
  granted: number;
  /** What this node's lease held before this statement. */
  held: number;
  /** Reserved by other processes. */
  elsewhere: number;
};

export type HeldLease = LeaseKey & { amount: number };

/** What the lease book needs of the database. Each call is one transaction. */
export type LeaseStore = {
  /** Moves quota from the balance to `reserved` and to this node's lease. */
  acquire(nodeId: string, key: LeaseKey, ask: Ask): Promise<Grant>;
  /** Lowers this node's lease to at most `keep` and returns the rest to the balance; returns what it held before. */
  trim(nodeId: string, key: LeaseKey, keep: number): Promise<number>;
  /** The leases of this node. */
  leasesOf(nodeId: string): Promise<HeldLease[]>;
  /** Registers the node or refreshes its heartbeat. False = it was not registered until now and holds no leases. */
  heartbeat(nodeId: string, name: string): Promise<boolean>;
  /** Asks the other gateways to return the part of this balance that they hold but do not use. */
  askForReturns(nodeId: string, key: LeaseKey): Promise<void>;
  /** Unregisters the node and returns all its leases. */
  leave(nodeId: string): Promise<void>;
  /** Calls `onNotice` for each notice, and `onConnect` whenever notices may have been missed. Returns the end of it. */
  listen(onNotice: (text: string) => void, onConnect: () => void): Promise<() => Promise<void>>;
};

/** The effect of one flush on one balance: `dropped` was subtracted from this node's lease, `left` is the remaining balance. */
export type AppliedCharge = LeaseKey & { dropped: number; left: number };

export type BookResult = {
  /** How many settlements were new. The others were committed before and changed nothing. */
  inserted: number;
  charges: AppliedCharge[];
};

/** What the settler needs of the database. */
export type SettlementStore = {
  /** Commits a batch in one transaction. Throws NodeNotRegistered when this node was swept. Null = no node, no lease. */
  book(nodeId: string | null, rows: readonly SettlementRow[]): Promise<BookResult>;
  /** Keeps a settlement that `book` refuses for good, and alerts root. Keeping the same one twice changes nothing. */
  keepRefused(row: SettlementRow, reason: RefusalReason): Promise<void>;
};

export type RefusalReason = { code: string; message: string };

/** A process that was swept writes nothing until it has registered again, so that nothing of a dead one comes late. */
export class NodeNotRegistered extends Error {}
