import { clouds } from "./clouds";
import type { ChannelTypeFacts } from "./describe-type";
import { makers } from "./makers";
import { services } from "./services";

export type { ChannelTypeFacts, Hue, OtherOperation } from "./describe-type";

/** Channel types by number (contract §6.1, §6.2). Stored channels may have a type that is not among them. */
export const channelTypes: ReadonlyMap<number, ChannelTypeFacts> = new Map(
  [...makers, ...clouds, ...services].map((facts) => [facts.id, facts]),
);

/** Whether a channel of this type can be asked for anything. */
export function servesType(type: number): boolean {
  const facts = channelTypes.get(type);
  return facts !== undefined && (facts.dialects.length > 0 || Object.keys(facts.serves).length > 0);
}

/** Whether a channel of this type can be asked for an operation; no type can for one that there is not. */
export function servesOperation(type: number, operation: string): boolean {
  const facts = channelTypes.get(type);
  if (!facts) return false;
  return operation === "chat" ? facts.dialects.length > 0 : Object.hasOwn(facts.serves, operation);
}
