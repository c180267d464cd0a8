import { and, eq } from "drizzle-orm";
import type { Database } from "@/db/client";
import { channelKeys, channels } from "@/db/schema";
import { fingerprintOf } from "@/lib/channel/fingerprint";
import { nowSeconds } from "@/lib/clock";
import type { ChannelDraft } from "./convert-channel";

/** Channels with this key and type that are here already. */
export async function findSameChannel(
  tx: Database,
  type: number,
  key: string,
): Promise<{ id: number; name: string } | null> {
  const [row] = await tx
    .select({ id: channels.id, name: channels.name })
    .from(channels)
    .where(and(eq(channels.keyFingerprint, fingerprintOf(key)), eq(channels.type, type)))
    .limit(1);
  return row ?? null;
}

/** The state that a new channel had in the other system. */
export async function setImportedState(tx: Database, id: number, { state, keysOff }: ChannelDraft): Promise<void> {
  await tx
    .update(channels)
    .set({ status: state.status, otherInfo: state.otherInfo, createdTime: state.createdTime || nowSeconds() })
    .where(eq(channels.id, id));
  for (const { key, status } of keysOff) {
    await tx
      .update(channelKeys)
      .set({ status, reason: "imported", statusTime: nowSeconds() })
      .where(and(eq(channelKeys.channelId, id), eq(channelKeys.fingerprint, fingerprintOf(key))));
  }
}
