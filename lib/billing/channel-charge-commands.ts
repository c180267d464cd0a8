import type { Sql } from "@/db/client";

/**
 * Adds to `channels.used_quota` what processes put aside while another one locked the channel's row. Each channel is a
 * transaction of its own, which waits for its row only. Resolves to the number of rows added.
 */
export async function addChannelCharges(sql: Sql): Promise<number> {
  const waiting = await sql<{ id: number }[]>`
    select distinct channel_id as id from channel_charges order by channel_id`;
  let added = 0;
  for (const { id } of waiting) added += await addOfChannel(sql, id);
  return added;
}

/** Rows that a flush is writing are left to the next time: the flush may wait for the channel, which is locked here. */
async function addOfChannel(sql: Sql, channelId: number): Promise<number> {
  return sql.begin(async (tx) => {
    await tx`select 1 from channels where id = ${channelId} for no key update`;
    const rows = await tx<{ quota: number }[]>`
      delete from channel_charges where (node_id, channel_id) in (
        select node_id, channel_id from channel_charges where channel_id = ${channelId} for update skip locked)
      returning quota`;
    const quota = rows.reduce((sum, row) => sum + row.quota, 0);
    await tx`update channels set used_quota = used_quota + ${quota} where id = ${channelId}`;
    return rows.length;
  });
}
