// The numbers that rows are stored with and that the API shows. Pages, queries and the relay all know them.

/** Of an account. 3 is never stored: a client's guard value (A117). */
export const USER_STATUS = { enabled: 1, disabled: 2 } as const;

/** Of an API token: enabled, disabled by its owner, past its expiry, out of quota. */
export const TOKEN_STATUS = { enabled: 1, disabled: 2, expired: 3, exhausted: 4 } as const;

/** Of a channel and of each of its keys: on, switched off by hand, switched off by the system with a reason. */
export const CHANNEL_STATUS = { enabled: 1, disabled: 2, autoDisabled: 3 } as const;

/** Of a redemption code: unused, disabled by an administrator, used. */
export const REDEMPTION_STATUS = { unused: 1, disabled: 2, used: 3 } as const;

/** What people may set an account, a token, a channel or a code to; the other states come about by themselves. */
export type SwitchStatus = 1 | 2;

/** Kinds of usage-log rows (contract §2.5). */
export const LOG_TYPE = { topup: 1, consume: 2, manage: 3, system: 4, error: 5 } as const;
