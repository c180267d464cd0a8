import type { SnapshotChannel } from "@/lib/snapshot/store";
import type { UpstreamRow } from "./channel-type";
import { rows } from "./rows";

/** Whether the channel goes to the provider of its type itself, not to another service that speaks like it. */
export function isOwnAddress({ baseUrl }: Pick<SnapshotChannel, "baseUrl">, row: UpstreamRow): boolean {
  return baseUrl === "" || baseUrl === row.baseUrl;
}

/** Whether OpenAI's Responses API is known to be at the channel's address. */
export function servesResponses(channel: SnapshotChannel): boolean {
  const row = rows.get(channel.type);
  const { speaksResponses } = row?.quirks ?? {};
  if (!row || !speaksResponses) return false;
  return (speaksResponses.isAt?.(channel.other) ?? isOwnAddress(channel, row)) || channel.setting.speaksResponses;
}
