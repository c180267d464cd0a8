import type { Sql } from "@/db/client";
import { deleteOldSums, type HourlySums, sumFinishedHours, summedUntilOf } from "./hourly-sums-commands";
import { modelSums } from "./live-sums-queries";

const MODEL_SUMS: HourlySums = {
  job: "model-health",
  firstWindowSeconds: 90 * 86_400,
  keptSeconds: 95 * 86_400,
  async deleteHours(sql, until, hours) {
    const gone = await sql`
      delete from model_hourly where hour < least(${until}, (select min(hour) from model_hourly) + ${hours * 3_600})`;
    return gone.count;
  },
  async readHour(sql, hour, until) {
    // Clients may send any name, so only the models of channels are kept.
    const models = await sql<{ model: string }[]>`
      select distinct unnest(string_to_array(models, ',')) as model from channels`;
    const names = models.map(({ model }) => model);
    const { text, parameters } = await modelSums(sql, hour, until, names);
    return { text, parameters: [...parameters, names] };
  },
  async writeHour(tx, hour, { text, parameters }) {
    await tx`delete from model_hourly where hour = ${hour}`;
    await tx.unsafe(
      `insert into model_hourly (hour, model_name, succeeded, failed, latency_buckets, first_token_buckets) ${text}`,
      parameters,
    );
  },
};

/** Sums finished hours of the usage log into model_hourly, each hour once; returns the number of hours summed. */
export function rollUpModelHealth(sql: Sql, nowSeconds: number): Promise<number> {
  return sumFinishedHours(sql, MODEL_SUMS, nowSeconds);
}

/** Deletes sums that are too old; returns the number of rows. */
export function deleteOldModelHealth(sql: Sql, nowSeconds: number): Promise<number> {
  return deleteOldSums(sql, MODEL_SUMS, nowSeconds);
}

/** The time (unix seconds) up to which the sums by model are complete; 0 = nothing summed yet. */
export function modelsSummedUntil(sql: Sql): Promise<number> {
  return summedUntilOf(sql, MODEL_SUMS.job);
}
