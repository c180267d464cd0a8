import { upstreamFormats } from "../wire/dialects";
import type { UpstreamRow } from "./channel-type";

/** Whether the relay speaks the wire format of this type's conversations. */
export function servesChat({ dialect }: Pick<UpstreamRow, "dialect">): boolean {
  return typeof dialect === "function" || (dialect !== null && upstreamFormats.has(dialect));
}
