import { AppError } from "@/lib/errors";
import { ChannelSetupError, rows } from "@/lib/relay/providers";

/** Throws invalid for a text that cannot be a key of the channel type. */
export function checkKeys(type: number, keys: readonly string[]): void {
  const check = rows.get(type)?.checkKey;
  if (!check) return;
  for (const key of keys) {
    try {
      check(key);
    } catch (error) {
      if (!(error instanceof ChannelSetupError)) throw error;
      throw new AppError("invalid", "channelKeyUnusable", { reason: error.message });
    }
  }
}
