import { commandOn, countShards, firstOf, type LogStore, LogStoreAway, shardsOf } from "./clickhouse/client";
import { literal } from "./clickhouse/escape";
import { HOURS_TABLE, itemOf } from "./clickhouse/hours";
import { ownTable } from "./clickhouse/tables";

/** An account that is erased, and the name that its rows have from then on. */
export type ErasedName = { userId: number; erased: string };

/**
 * Replaces the name of an account in the rows of a log store, and forgets in which hours the old one was. The servers rewrite their
 * rows in the background. Throws LogStoreAway where a shard has no server: nothing is lost by asking again.
 */
export async function eraseStoredNames(store: LogStore, { userId, erased }: ErasedName): Promise<void> {
  const [shards, wanted] = await Promise.all([shardsOf(store), countShards(store)]);
  const id = Math.floor(userId);
  for (const servers of shards.values()) {
    await firstOf(servers, async (server) => {
      const log = ownTable(store.config);
      const others = `user_id = ${id} and username != ${literal(erased)} and username != ''`;
      await commandOn(server, `alter table ${log} update username = ${literal(erased)} where ${others}`);
      const hours = ownTable(store.config, HOURS_TABLE);
      const items = `user_id = ${id} and startsWith(item, ${literal(itemOf("username", ""))})`;
      await commandOn(
        server,
        `alter table ${hours} delete where ${items} and item != ${literal(itemOf("username", erased))}`,
      );
    });
  }
  if (shards.size < wanted) throw new LogStoreAway("a shard of the log store has no server that could forget a name");
}
