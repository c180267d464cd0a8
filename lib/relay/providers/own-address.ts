import type { SnapshotChannel } from "@/lib/snapshot/store";
import type { UpstreamRow } from "./channel-type";

/** Whether the channel goes to the provider of its type itself, not to another service that speaks like it. */
export function isOwnAddress({ baseUrl }: Pick<SnapshotChannel, "baseUrl">, row: UpstreamRow): boolean {
  return baseUrl === "" || baseUrl === row.baseUrl;
}
