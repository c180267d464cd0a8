import { flag, number, type OptionDefinition } from "../definition";

/** Sign-up and invitations beyond the contract; the defaults leave what the requirements describe as it is. */
export const accountOptions = {
  /** Every new account gets an API key of its own, unlimited and never expiring (contract §9.1). */
  DefaultTokenEnabled: { schema: flag, default: "false", card: "modes" },
  /** Rewarded invitations per inviter in 24 hours; 0 = no limit. */
  InvitationDailyLimit: { schema: number({ min: 0, max: 100_000, integer: true }), default: "20", card: "invite" },
  /** No reward for an invitee from the inviter's own address, or from that of another recent invitee. */
  InvitationAddressCheckEnabled: { schema: flag, default: "true", card: "invite" },
  /** Share of an invitee's paid top-ups that goes to the inviter's pending earnings, in percent; 0 = none. */
  AffiliateDividendPercent: { schema: number({ min: 0, max: 100 }), default: "0", card: "invite", unit: "percent" },
} as const satisfies Record<string, OptionDefinition>;
