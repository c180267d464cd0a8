// The numbers in the database and the API. Used by pages, queries and the relay.

/** Of an account. 3 is never stored: a client's guard value (A117). */
export const USER_STATUS = { enabled: 1, disabled: 2 } as const;

/** Of an API token: enabled, disabled by its owner, past its expiry, out of quota. */
export const TOKEN_STATUS = { enabled: 1, disabled: 2, expired: 3, exhausted: 4 } as const;

/** Of a channel and of each of its keys: enabled, disabled by hand, disabled by the system with a reason. */
export const CHANNEL_STATUS = { enabled: 1, disabled: 2, autoDisabled: 3 } as const;

/** Of a redemption code: unused, disabled by an administrator, used. */
export const REDEMPTION_STATUS = { unused: 1, disabled: 2, used: 3 } as const;
/** In filters: an unused code whose time is over. No row has it. */
export const REDEMPTION_EXPIRED = 4;

/** What a user may set an account, token, channel or code to; the system sets the other values. */
export type SwitchStatus = 1 | 2;

/** Kinds of usage-log rows (contract §2.5). */
export const LOG_TYPE = { topup: 1, consume: 2, manage: 3, system: 4, error: 5 } as const;

/** Why a channel's circuit is open (lib/relay/routing/circuits). "network" = no connection, or a reset before an answer. */
export const CIRCUIT_CAUSES = ["key", "limit", "overload", "timeout", "network", "cut"] as const;
export type CircuitCause = (typeof CIRCUIT_CAUSES)[number];

/** The wire of tasks that make videos: one for all formats, so that a video can be asked for in each, whichever it was submitted in. */
export const VIDEO_WIRE = "video";
