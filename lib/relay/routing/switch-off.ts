import type { Sql } from "@/db/client";
import { logger } from "@/lib/logger";
import type { SnapshotChannel } from "@/lib/snapshot/store";
import { disableChannelAutomatically, disableKeyAutomatically } from "./channel-state-commands";

/** Switches off a channel, or one of its keys, after an upstream's refusal. Nobody waits for it; an error is logged. */
export function switchOff(
  sql: Sql,
  { id: channel }: SnapshotChannel,
  key: number | null,
  { reason, request }: { reason: string; request: string },
): void {
  const change =
    key === null
      ? disableChannelAutomatically(sql, channel, reason)
      : disableKeyAutomatically(sql, channel, key, reason);
  change.then(
    (changed) => changed && logger.warn({ channel, key, reason, request }, "channel or key switched off"),
    (error: unknown) => logger.error({ err: error, channel, key, request }, "channel could not be switched off"),
  );
}
