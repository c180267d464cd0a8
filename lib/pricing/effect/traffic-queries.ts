import type { Sql } from "@/db/client";
import { type BothParts, readBoth } from "@/lib/log-store/both-queries";
import { logStore } from "@/lib/log-store/store";
import { escapeLike } from "@/lib/page";
import { readSetting } from "@/lib/snapshot/channel-setting";
import type { KnownChannel } from "./reckon-effect";
import { isTooLong, type Names, readStoredSums, type TrafficRow, type Window } from "./stored-traffic-queries";
import type { Coverage, Traffic } from "./types";

const HOUR = 3_600;
/** So many requests are read whole; of more, every n-th second of each slice of ten minutes. */
const REQUESTS_MAX = 200_000;
const SLICE_SECONDS = 600;
/** A preview is not worth more. What takes longer is said to be too much. */
const TIMEOUT_MS = 8_000;
/** PostgreSQL's code for a statement that took too long. */
const CANCELED = "57014";

/** Models by name, or all that begin with the name where it ends in "*"; null = all models. */
export type TrafficSearch = { models: readonly string[] | null; seconds: number; now: number };

export type ReadTraffic = {
  coverage: Coverage;
  traffic: Traffic[];
  /** Requests of each model in the books. */
  booked: ReadonlyMap<string, number>;
};

export type TrafficLimits = { requestsMax?: number; timeoutMs?: number };

/**
 * What the log has of some models, summed by all that decides a charge. Null = it takes too long. Reads only, and gives up
 * by itself.
 */
export async function readTraffic(
  sql: Sql,
  search: TrafficSearch,
  { requestsMax = REQUESTS_MAX, timeoutMs = TIMEOUT_MS }: TrafficLimits = {},
): Promise<ReadTraffic | null> {
  const until = search.now;
  // The books are by hour.
  const since = Math.floor((until - search.seconds) / HOUR) * HOUR;
  const names = namesOf(search.models);
  const read = async (tx: Sql, readRows: (window: Window) => Promise<Traffic[]>): Promise<ReadTraffic> => {
    await tx`select set_config('statement_timeout', ${String(Math.max(1, Math.round(timeoutMs)))}, true)`;
    const booked = await readBooked(tx, names, since);
    const requests = [...booked.values()].reduce((sum, count) => sum + count, 0);
    const oneOf = Math.max(1, Math.min(SLICE_SECONDS, Math.ceil(requests / requestsMax)));
    const traffic = await readRows({ since, until, oneOf });
    const count = traffic.reduce((sum, row) => sum + row.requests, 0);
    return { coverage: { since, until, requests, read: count, oneOf }, traffic, booked };
  };
  const store = logStore();
  try {
    if (store !== null) {
      return await readBoth(
        store,
        sql,
        (parts) => read(parts.connection, (window) => readBothSums(parts, names, window, timeoutMs)),
        since,
      );
    }
    return await sql.begin("read only", async (begun) => {
      const tx = begun as unknown as Sql;
      return read(tx, (window) => readSums(tx, names, window, tx`usage_logs`));
    });
  } catch (error) {
    if (isCanceled(error) || isTooLong(error)) return null;
    throw error;
  }
}

/** Rows of both places: what is alike in both comes twice, and is summed by whoever reads it. */
async function readBothSums(
  parts: BothParts<Sql>,
  names: Names,
  window: Window,
  timeoutMs: number,
): Promise<Traffic[]> {
  const { connection, here } = parts;
  const begins = await readBegins(connection, window);
  const [inPostgres, inStore] = await Promise.all([
    readSums(connection, names, window, connection.unsafe(`${here} usage_logs`)),
    readStoredSums(parts.stored, names, { ...window, begins, sliceSeconds: SLICE_SECONDS }, timeoutMs),
  ]);
  return [...inPostgres, ...inStore.map(toTraffic)];
}

/** How many requests each one that was read stands for: those that were left out are like the others of their model. */
export function scaleBy({ traffic, booked, coverage }: ReadTraffic): (model: string) => number {
  if (coverage.oneOf === 1) return () => 1;
  const read = new Map<string, number>();
  for (const { model, requests } of traffic) read.set(model, (read.get(model) ?? 0) + requests);
  return (model) => {
    const [all, part] = [booked.get(model) ?? 0, read.get(model) ?? 0];
    return part === 0 ? 1 : Math.max(1, all / part);
  };
}

function isCanceled(error: unknown): boolean {
  return typeof error === "object" && error !== null && "code" in error && error.code === CANCELED;
}

function namesOf(models: readonly string[] | null): Names {
  const all = models ?? [];
  const beginnings = all.filter((model) => model.endsWith("*")).map((model) => `${escapeLike(model.slice(0, -1))}%`);
  return { exact: [...all], beginnings, isAll: models === null };
}

function named(sql: Sql, { exact, beginnings, isAll }: Names) {
  if (isAll) return sql`true`;
  // Without patterns the index by model serves.
  if (beginnings.length === 0) return sql`model_name = any(${exact}::text[])`;
  return sql`(model_name = any(${exact}::text[]) or model_name like any(${beginnings}::text[]))`;
}

async function readBooked(sql: Sql, names: Names, since: number): Promise<Map<string, number>> {
  const rows = await sql<{ model: string; count: number }[]>`
    select model_name as model, sum(count)::float8 as count from usage_hourly
    where hour >= ${since}::bigint and ${named(sql, names)} group by 1`;
  return new Map(rows.map(({ model, count }) => [model, Number(count)]));
}

/** How long the part of each slice is that is read, and the SQL of where in the slice that begins. */
function sampleOf({ since, until, oneOf }: Window): { step: number; length: number } {
  const step = oneOf === 1 ? until - since + 1 : SLICE_SECONDS;
  return { step, length: oneOf === 1 ? step : Math.max(1, Math.round(SLICE_SECONDS / oneOf)) };
}

/** Somewhere in the slice, so that what happens every ten minutes is neither always in it nor never. */
function beginningIn(sql: Sql, { oneOf }: Window, length: number) {
  return sql`start + case when ${oneOf}::int = 1 then 0
        else (hashint8(start)::bigint & 2147483647) % (${SLICE_SECONDS - length}::bigint + 1) end`;
}

/** Where the part of each slice begins that is read. */
async function readBegins(sql: Sql, window: Window): Promise<{ begins: number[]; length: number }> {
  const { step, length } = sampleOf(window);
  const rows = await sql<{ begins: number }[]>`
    select ${beginningIn(sql, window, length)} as begins
    from generate_series(${window.since}::bigint, ${window.until}::bigint, ${step}::bigint) slice (start) order by start`;
  return { begins: rows.map(({ begins }) => begins), length };
}

/**
 * Charged requests with something used. Those with meters are summed only where all of their usage is the same, because
 * meters are not linear. What the log does not say as a number counts as 0.
 */
async function readSums(
  sql: Sql,
  names: Names,
  window: Window,
  logs: ReturnType<Sql> | ReturnType<Sql["unsafe"]>,
): Promise<Traffic[]> {
  const { since, until } = window;
  const { step, length } = sampleOf(window);
  const number = (field: string) =>
    sql`case when jsonb_typeof(other->${field}) = 'number' then (other->${field})::float8 end`;
  const rows = await sql<TrafficRow[]>`
    select user_id as "userId", max(username) as username, channel_id as "channelId", model_name as model,
      upstream as "upstreamModel", "group", group_ratio as "groupRatio", batch_ratio as "batchRatio",
      count(*)::float8 as requests, sum(quota)::float8 as charged, shape,
      sum(prompt_tokens)::float8 as "promptTokens", sum(completion_tokens)::float8 as "completionTokens",
      sum(cached)::float8 as "cachedTokens", sum(cache_write)::float8 as "cacheWriteTokens",
      sum(audio_prompt)::float8 as "audioPromptTokens", sum(audio_completion)::float8 as "audioCompletionTokens",
      sum(image_prompt)::float8 as "imagePromptTokens", sum(cached_audio)::float8 as "cachedAudioTokens",
      sum(cached_image)::float8 as "cachedImageTokens"
    from generate_series(${since}::bigint, ${until}::bigint, ${step}::bigint) slice (start)
    cross join lateral (
      select ${beginningIn(sql, window, length)} as begins
    ) at
    cross join lateral (
      select user_id, username, channel_id, model_name, "group", quota, prompt_tokens, completion_tokens,
        other->>'upstream_model_name' as upstream,
        ${number("group_ratio")} as group_ratio, ${number("batch_ratio")} as batch_ratio,
        coalesce(${number("cache_tokens")}, 0) as cached, coalesce(${number("audio_input")}, 0) as audio_prompt,
        coalesce(${number("audio_output")}, 0) as audio_completion, coalesce(${number("image_input")}, 0) as image_prompt,
        coalesce(${number("audio_cached")}, 0) as cached_audio, coalesce(${number("image_cached")}, 0) as cached_image,
        case when other @> '{"lines":[{"kind":"cacheWrite"}]}' then (
          select coalesce(sum((line->>'quantity')::float8), 0) from jsonb_array_elements(other->'lines') line
          where line->>'kind' = 'cacheWrite'
        ) else 0 end as cache_write,
        case when jsonb_typeof(other->'meters') = 'array' then other->'meters' end as shape
      from ${logs}
      where created_at >= at.begins and created_at < at.begins + ${length}::bigint and created_at <= ${until}::bigint
        and type = 2 and ${named(sql, names)}
        and (prompt_tokens + completion_tokens > 0 or other ? 'meters')
    ) request
    group by user_id, channel_id, model_name, upstream, "group", group_ratio, batch_ratio, shape,
      case when shape is null then null else
        array[prompt_tokens, completion_tokens, cached, cache_write, audio_prompt, audio_completion, image_prompt, cached_audio,
          cached_image] end`;
  return rows.map(toTraffic);
}

function toTraffic({ shape, ...row }: TrafficRow): Traffic {
  const each = shape === null ? 1 : row.requests;
  const { promptTokens, completionTokens, cachedTokens, cacheWriteTokens, ...others } = row;
  const { audioPromptTokens, audioCompletionTokens, imagePromptTokens, cachedAudioTokens, cachedImageTokens, ...rest } =
    others;
  const meters = shape?.map(({ meter, variant, quantity }) => ({
    meter,
    quantity: Number(quantity),
    ...(variant ? { variant } : {}),
  }));
  return {
    ...rest,
    isEach: shape !== null,
    usage: {
      promptTokens: promptTokens / each,
      completionTokens: completionTokens / each,
      cachedTokens: cachedTokens / each,
      cacheWriteTokens: cacheWriteTokens / each,
      audioPromptTokens: audioPromptTokens / each,
      audioCompletionTokens: audioCompletionTokens / each,
      imagePromptTokens: imagePromptTokens / each,
      cachedAudioTokens: cachedAudioTokens / each,
      cachedImageTokens: cachedImageTokens / each,
      estimated: false,
      ...(meters ? { meters } : {}),
    },
  };
}

/** Names and costs of channels that there are. */
export async function readChannels(sql: Sql, ids: readonly number[]): Promise<Map<number, KnownChannel>> {
  const rows = await sql<{ id: number; name: string; setting: string }[]>`
    select id, name, setting from channels where id = any(${[...ids]}::int[])`;
  return new Map(rows.map(({ id, name, setting }) => [id, { name, cost: readSetting(parseSetting(setting)).cost }]));
}

function parseSetting(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch {
    return {};
  }
}

export async function readUserNames(sql: Sql, ids: readonly number[]): Promise<Map<number, string>> {
  const rows = await sql<{ id: number; username: string }[]>`
    select id, username from users where id = any(${[...ids]}::int[]) and deleted_at is null`;
  return new Map(rows.map(({ id, username }) => [id, username]));
}
