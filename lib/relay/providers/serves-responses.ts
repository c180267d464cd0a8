import type { SnapshotChannel } from "@/lib/snapshot/store";
import { isOwnAddress } from "./own-address";
import { rows } from "./rows";

/** Whether OpenAI's Responses API is known to be at the channel's address. */
export function servesResponses(channel: SnapshotChannel): boolean {
  const row = rows.get(channel.type);
  const { speaksResponses } = row?.quirks ?? {};
  if (!row || !speaksResponses) return false;
  return (speaksResponses.isAt?.(channel.other) ?? isOwnAddress(channel, row)) || channel.setting.speaksResponses;
}
