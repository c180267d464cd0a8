import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import type { Database } from "@/db/client";
import { usageHourly, usageLogs } from "@/db/schema";
import { costUsage } from "@/lib/billing/cost";
import { type PriceRow, priceUsage, resolvePrice } from "@/lib/billing/price";
import { NO_USAGE } from "@/lib/billing/types";
import { loadOptions } from "@/lib/option/queries";
import { LOG_TYPE, TOKEN_STATUS, USER_STATUS } from "@/lib/row-status";
import { makeFailure } from "./seed-demo-failures";

type Owner = { userId: number; username: string; group: string; tokenId: number; tokenName: string };

/** What the demo's upstreams take, as a part of the list price. */
export const DEMO_COST_FACTOR = 0.6;

const days = 30;
const batchSize = 500;
const models = ["gpt-4o-mini", "gpt-4o-mini", "gpt-4o-mini", "gpt-4o", "gpt-4.1-mini", "deepseek-chat", "o4-mini"];
/** Relative number of requests per hour of the day, lower at night. */
const dayCurve = [1, 1, 1, 1, 1, 2, 3, 5, 8, 10, 10, 9, 8, 9, 10, 10, 9, 8, 6, 5, 4, 3, 2, 1];

/** A seeded random number generator, so that every demo has the same month. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A month of requests with their sums and charges, exactly as settlements would have written them. */
export async function seedUsage(tx: Database, channelIds: number[]): Promise<void> {
  const owners = await tx.execute<Owner>(sql`
    select u.id as "userId", u.username, u."group", t.id as "tokenId", t.name as "tokenName"
    from tokens t join users u on u.id = t.user_id where u.status = ${USER_STATUS.enabled} and t.status = ${TOKEN_STATUS.enabled} order by t.id`);
  const settings = await loadOptions(tx);
  const priceOf = (model: string, group: string): PriceRow => {
    const price = resolvePrice(model, settings.GroupRatio[group] ?? 1, settings);
    if (!price) throw new Error(`the demo has no price for ${model}`);
    return price;
  };
  const random = createRandom(20_260_101);
  // Of its own, so that the requests that succeed stay the same.
  const failing = createRandom(20_260_102);
  const logs: (typeof usageLogs.$inferInsert)[] = [];
  const now = Math.floor(Date.now() / 1000);
  const firstHour = Math.floor(now / 3_600) - days * 24;
  for (let hour = firstHour; hour * 3_600 < now - 3_600; hour++) {
    const busy = (dayCurve[hour % 24] ?? 1) / 10;
    for (const owner of owners) {
      const requests = Math.floor(random() * 2.4 * busy + random() * 0.4);
      for (let index = 0; index < requests; index++) {
        const createdAt = hour * 3_600 + Math.floor(random() * 3_600);
        const log = makeLog(owner, createdAt, channelIds, priceOf, random);
        logs.push(log);
        const { modelName = "", channelId = 0 } = log;
        const failure = makeFailure(owner, { createdAt, modelName, channelId }, failing);
        if (failure) logs.push(failure);
      }
    }
  }
  for (let from = 0; from < logs.length; from += batchSize) {
    await tx.insert(usageLogs).values(logs.slice(from, from + batchSize));
  }
  await applySums(tx);
}

function makeLog(
  owner: Owner,
  createdAt: number,
  channelIds: number[],
  priceOf: (model: string, group: string) => PriceRow,
  random: () => number,
): typeof usageLogs.$inferInsert {
  const modelName = models[Math.floor(random() * models.length)] ?? "gpt-4o-mini";
  const promptTokens = 40 + Math.floor(random() ** 3 * 6_000);
  const completionTokens = 20 + Math.floor(random() ** 2 * 1_500);
  const cachedTokens = random() < 0.2 ? Math.floor(promptTokens * 0.6) : 0;
  const isStream = random() < 0.7;
  const firstTokenMs = isStream ? 150 + Math.floor(random() * 900) : null;
  const price = priceOf(modelName, owner.group);
  const usage = { ...NO_USAGE, promptTokens, completionTokens, cachedTokens };
  const charge = priceUsage(usage, price);
  const listed = { ...price, groupRatio: DEMO_COST_FACTOR };
  const cost = costUsage(usage, { model: modelName, factor: DEMO_COST_FACTOR, price: listed });
  // The second channel serves only the groups vip and svip.
  const channelId = (owner.group === "default" ? channelIds[0] : channelIds[random() < 0.66 ? 0 : 1]) ?? 1;
  return {
    ...owner,
    requestId: `demo-${randomUUID()}`,
    createdAt,
    type: LOG_TYPE.consume,
    channelId,
    modelName,
    quota: charge.quota,
    cost: cost.quota,
    unknownCosts: 0,
    promptTokens,
    completionTokens,
    useTimeMs: (firstTokenMs ?? 300) + completionTokens * 12,
    firstTokenMs,
    isStream,
    clientIp: `203.0.113.${owner.userId}`,
    other: {
      model_ratio: price.modelRatio,
      group_ratio: price.groupRatio,
      completion_ratio: price.completionRatio,
      cache_tokens: cachedTokens,
      cache_ratio: price.cacheRatio,
      model_price: price.modelPrice ?? -1,
      frt: firstTokenMs ?? -1000,
      quota_per_unit: price.quotaPerUnit,
      lines: charge.lines,
      admin_info: { use_channel: [String(channelId)], cost: { model: modelName, factor: DEMO_COST_FACTOR } },
    },
  };
}

/** Sets usage_hourly to the sums of the logs, and subtracts usage_hourly from the balances. */
async function applySums(tx: Database): Promise<void> {
  await tx.execute(sql`
    insert into ${usageHourly} (hour, user_id, token_id, channel_id, model_name, "group", count, quota, prompt_tokens,
      completion_tokens, cost, unknown_costs)
    select created_at / 3600 * 3600, user_id, token_id, channel_id, model_name, "group", count(*), sum(quota),
      sum(prompt_tokens), sum(completion_tokens), sum(cost), sum(unknown_costs)
    from usage_logs where request_id like 'demo-%' and type = ${LOG_TYPE.consume} group by 1, 2, 3, 4, 5, 6`);
  await tx.execute(sql`
    update users set quota = users.quota - used.quota, used_quota = users.used_quota + used.quota,
      request_count = users.request_count + used.count
    from (select user_id, sum(quota)::bigint as quota, sum(count)::bigint as count from usage_hourly group by 1) as used
    where users.id = used.user_id`);
  await tx.execute(sql`
    update tokens set used_quota = used.quota, accessed_time = used.last,
      remain_quota = case when unlimited_quota then remain_quota else remain_quota - used.quota end
    from (select token_id, sum(quota)::bigint as quota, max(created_at) as last from usage_logs group by 1) as used
    where tokens.id = used.token_id`);
  await tx.execute(sql`
    update channels set used_quota = used.quota
    from (select channel_id, sum(quota)::bigint as quota from usage_hourly group by 1) as used
    where channels.id = used.channel_id`);
}
