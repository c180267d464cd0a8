import { sha256Hex } from "@/lib/crypto";
import type { Source } from "./types";
import { textOf, wholeOf } from "./values";

/**
 * Names a source by what it holds and never changes: its first account, key and channel, and when it was set up. A copy of it in
 * another place, or in another engine, is the same source.
 */
export async function fingerprintOf(source: Source): Promise<string> {
  const first = async (table: string, wanted: readonly string[]) => {
    if (!source.tables.has(table)) return {};
    const [row] = await source.page(table, ["id", ...wanted], { key: "id", after: 0, limit: 1 });
    return row ?? {};
  };
  const [user, key, channel, setup] = [
    await first("users", ["aff_code"]),
    await first("tokens", ["key", "created_time"]),
    await first("channels", ["created_time"]),
    await first("setups", ["initialized_at"]),
  ];
  return sha256Hex(
    JSON.stringify([
      wholeOf(user, "id"),
      textOf(user, "aff_code"),
      wholeOf(key, "id"),
      textOf(key, "key"),
      wholeOf(key, "created_time"),
      wholeOf(channel, "id"),
      wholeOf(channel, "created_time"),
      wholeOf(setup, "initialized_at"),
    ]),
  );
}
