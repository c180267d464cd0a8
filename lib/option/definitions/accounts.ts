import { flag, number, type OptionDefinition } from "../definition";

/** Options for sign-up and invitations beyond the contract; the defaults keep the behaviour that the requirements describe. */
export const accountOptions = {
  /** Every new account gets its own API key, unlimited and never expiring (contract §9.1). */
  DefaultTokenEnabled: { schema: flag, default: "false", delicate: false, running: "none", card: "modes" },
  /** Rewarded invitations per inviter in 24 hours; 0 = no limit. */
  InvitationDailyLimit: {
    schema: number({ min: 0, max: 100_000, integer: true }),
    default: "20",
    delicate: false,
    running: "none",
    card: "invite",
  },
  /** No reward for an invitee with the inviter's address, or with that of another recent invitee. */
  InvitationAddressCheckEnabled: { schema: flag, default: "true", delicate: false, running: "none", card: "invite" },
  /** Share of an invitee's paid top-ups that goes to the inviter's pending earnings, in percent; 0 = none. */
  AffiliateDividendPercent: {
    schema: number({ min: 0, max: 100 }),
    default: "0",
    delicate: false,
    running: "none",
    card: "invite",
    unit: "percent",
  },
} as const satisfies Record<string, OptionDefinition>;
