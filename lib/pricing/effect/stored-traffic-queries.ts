import type { StoredPart } from "@/lib/log-store/both-queries";
import { codeOf } from "@/lib/log-store/clickhouse/client";
import { literal, literals } from "@/lib/log-store/clickhouse/escape";
import { LOG_TYPE } from "@/lib/row-status";
import type { Traffic } from "./types";

/** ClickHouse's code for a statement that took too long. */
const TIMEOUT_EXCEEDED = 159;

/** Models by name and by patterns of LIKE. */
export type Names = { exact: string[]; beginnings: string[]; isAll: boolean };
export type Window = { since: number; until: number; oneOf: number };

/** A sum, before what its usage has become. */
export type TrafficRow = Omit<Traffic, "usage" | "isEach"> & {
  shape: Traffic["usage"]["meters"] | null;
  promptTokens: number;
  completionTokens: number;
  cachedTokens: number;
  cacheWriteTokens: number;
  audioPromptTokens: number;
  audioCompletionTokens: number;
  imagePromptTokens: number;
  cachedAudioTokens: number;
  cachedImageTokens: number;
};

type Sampled = Window & { begins: { begins: number[]; length: number }; sliceSeconds: number };
type Missing = "imagePromptTokens" | "cachedAudioTokens" | "cachedImageTokens";
type Stored = Record<Exclude<keyof TrafficRow, "shape" | Missing>, string | number | null> & { shape: string };

/** As readSums (traffic-queries.ts) of what ClickHouse has. */
export async function readStoredSums(
  stored: StoredPart,
  names: Names,
  sampled: Sampled,
  timeoutMs: number,
): Promise<TrafficRow[]> {
  const amounts = "[prompt, completion, cached, cache_write, audio_prompt, audio_completion]";
  const rows = await stored.query<Stored>(
    `select user_id as userId, max(name) as username, channel_id as channelId, model_name as model,
      upstream_model as upstreamModel, \`group\`, ratio as groupRatio, batch as batchRatio, count() as requests,
      sum(paid) as charged, shape, sum(prompt) as promptTokens, sum(completion) as completionTokens,
      sum(cached) as cachedTokens, sum(cache_write) as cacheWriteTokens, sum(audio_prompt) as audioPromptTokens,
      sum(audio_completion) as audioCompletionTokens
    from (
      select user_id, username as name, channel_id, model_name, upstream_model, \`group\`, group_ratio as ratio,
        batch_ratio as batch, quota as paid, if(substring(meters, 1, 1) = '[', meters, '') as shape,
        toFloat64(prompt_tokens) as prompt, toFloat64(completion_tokens) as completion, cached_tokens as cached,
        cache_write_tokens as cache_write, audio_prompt_tokens as audio_prompt,
        audio_completion_tokens as audio_completion
      from ${stored.rows} and ${inSample(sampled)} and type = ${LOG_TYPE.consume} and ${named(names)}
        and (prompt_tokens + completion_tokens > 0 or meters != '')
    )
    group by user_id, channel_id, model_name, upstream_model, \`group\`, ratio, batch, shape,
      if(shape = '', emptyArrayFloat64(), ${amounts})`,
    { settings: { max_execution_time: Math.max(1, Math.ceil(timeoutMs / 1_000)) } },
  );
  return rows.map(toRow);
}

function inSample({ since, until, oneOf, begins: { begins, length }, sliceSeconds }: Sampled): string {
  const span = `created_at >= ${since} and created_at <= ${until}`;
  if (oneOf === 1) return span;
  const begin = `arrayElement([${begins.join(", ")}], intDiv(created_at - ${since}, ${sliceSeconds}) + 1)`;
  return `${span} and created_at >= ${begin} and created_at < ${begin} + ${length}`;
}

function named({ exact, beginnings, isAll }: Names): string {
  if (isAll) return "1";
  const conditions = beginnings.map((pattern) => `model_name like ${literal(pattern)}`);
  if (exact.length > 0) conditions.unshift(`model_name in ${literals(exact)}`);
  return conditions.length === 0 ? "0" : `(${conditions.join(" or ")})`;
}

/** 64-bit integers come as text. */
function toRow({ shape, ...row }: Stored): TrafficRow {
  const text = (value: string | number | null) => String(value ?? "");
  const ratio = (value: string | number | null) => (value === null ? null : Number(value));
  return {
    userId: Number(row.userId),
    username: text(row.username),
    channelId: Number(row.channelId),
    model: text(row.model),
    upstreamModel: text(row.upstreamModel) === "" ? null : text(row.upstreamModel),
    group: text(row.group),
    groupRatio: ratio(row.groupRatio),
    batchRatio: ratio(row.batchRatio),
    requests: Number(row.requests),
    charged: Number(row.charged),
    shape: shape === "" ? null : JSON.parse(shape),
    promptTokens: Number(row.promptTokens),
    completionTokens: Number(row.completionTokens),
    cachedTokens: Number(row.cachedTokens),
    cacheWriteTokens: Number(row.cacheWriteTokens),
    audioPromptTokens: Number(row.audioPromptTokens),
    audioCompletionTokens: Number(row.audioCompletionTokens),
    // A log store has no columns of them: they count as text, and as cached.
    imagePromptTokens: 0,
    cachedAudioTokens: 0,
    cachedImageTokens: 0,
  };
}

export function isTooLong(error: unknown): boolean {
  return codeOf(error) === TIMEOUT_EXCEEDED;
}
