/**
 * NOTIFY channel that asks gateways to return the quota they hold but do not use. Payload: `<user id>:<token id, 0 =
 * the user's balance>:<node id of the sending gateway, empty when the sender is not a gateway>`.
 */
export const BALANCE_CHANNEL = "weir_balance";

export type BalanceNotice = { userId: number; tokenId: number; sender: string };

/** Null when the text is not a valid notice. */
export function parseBalanceNotice(text: string): BalanceNotice | null {
  const match = /^(\d+):(\d+):([0-9a-f-]*)$/.exec(text);
  if (!match) return null;
  return { userId: Number(match[1]), tokenId: Number(match[2]), sender: match[3] ?? "" };
}
