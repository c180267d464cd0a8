/**
 * NOTIFY channel on which gateways ask each other to give back what they hold but do not use. The text is
 * `<user id>:<token id, 0 = the balance itself>:<node id of the sender, empty = not a gateway>`.
 */
export const BALANCE_CHANNEL = "weir_balance";

export type BalanceNotice = { userId: number; tokenId: number; sender: string };

/** Reads a notice; null for a text of another form. */
export function parseBalanceNotice(text: string): BalanceNotice | null {
  const match = /^(\d+):(\d+):([0-9a-f-]*)$/.exec(text);
  if (!match) return null;
  return { userId: Number(match[1]), tokenId: Number(match[2]), sender: match[3] ?? "" };
}
