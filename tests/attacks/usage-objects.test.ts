// Who: nobody in particular; providers that count caches, thoughts, tools and media each in their own way.
// What must hold: each usage object that a provider sends is charged to the last unit, by the formulas of contract §5.2, whole
// and streamed, to callers of the provider's own dialect and of another. In the list, `source` is where the object stands and
// `seen` how it was verified: the page itself, a copy of its text, or none (from memory, because no page has figures).
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ChangeAnswer, type FixtureUpstream, startFixtureUpstream } from "@/lib/testing/fixture-upstream";
import { setUpRelay, until } from "../relay/harness";
import { UPSTREAMS } from "../relay/wire/matrix/upstreams";
import list from "./usage-objects.json" with { type: "json" };

/** Tokens of each kind, apart from each other. */
type Due = { text?: number; cached?: number; written?: number; soundIn?: number; out: number; soundOut?: number };
/**
 * `due`: by the provider's own words. `inChoice`: a stream has it in its last choice. `model`: what the name begins with, where
 * the model reads by itself what the request does not show.
 */
type UsageRow = {
  format: string;
  provider: string;
  what: string;
  source: string;
  seen: string;
  usage: Json;
  due: Due;
  inChoice?: boolean;
  model?: string;
};
type Json = Record<string, unknown>;

const usageRows: readonly UsageRow[] = list;

const CHAT = "openai-chat";
const MESSAGES = "anthropic-messages";
const OWN: Readonly<Record<string, string>> = {
  [CHAT]: "/v1/chat/completions",
  "openai-responses": "/v1/responses",
  [MESSAGES]: "/v1/messages",
  "gemini-generate-content": "",
};

type Case = { row: UsageRow; model: string; caller: string; isStream: boolean };

/** Each row for its own dialect, or for chat where callers have no such dialect, and translated for another. */
const cases: readonly Case[] = usageRows.flatMap((row, at) => {
  const own = row.format in OWN ? row.format : CHAT;
  const callers = [own, own === MESSAGES ? CHAT : MESSAGES];
  return callers.flatMap((caller) =>
    [false, true].map((isStream) => ({ row, model: modelOf(row, at, caller), caller, isStream })),
  );
});

function modelOf({ format, model = UPSTREAMS[format]?.model ?? "" }: UsageRow, at: number, caller: string): string {
  return `${model}row-${at}-for-${caller}`;
}

const RATIOS = { model: 1.5, completion: 4, cache: 0.1, write: 1.25, group: 0.7 };
const models = [...new Set(cases.map(({ model }) => model))];
const forAll = (ratio: number): Json => Object.fromEntries(models.map((name) => [name, ratio]));

const relay = setUpRelay({
  options: {
    ModelRatio: forAll(RATIOS.model),
    CompletionRatio: forAll(RATIOS.completion),
    CacheRatio: forAll(RATIOS.cache),
    CreateCacheRatio: forAll(RATIOS.write),
    GroupRatio: { default: RATIOS.group },
    DefaultMaxOutput: "200000",
  },
});
let upstream: FixtureUpstream;
let key = "";
let user = 0;

/** The recorded answer of the format, with the row's usage in place of its own. */
const withRow: ChangeAnswer = (json, { text, isStream }) => {
  const row = usageRows[Number(/row-(\d+)-for/.exec(text)?.[1])];
  if (!row) throw new Error("no row is asked for");
  return replaceUsage(json, row, isStream);
};

function replaceUsage(value: unknown, row: UsageRow, isStream: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => replaceUsage(item, row, isStream));
  if (typeof value !== "object" || value === null) return value;
  const given = Object.entries(value).map(([name, inner]) => {
    const isUsage = (name === "usage" || name === "usageMetadata") && typeof inner === "object" && inner !== null;
    if (isUsage) return [name, row.inChoice && isStream ? null : row.usage];
    return [name, replaceUsage(inner, row, isStream)];
  });
  const json = Object.fromEntries(given) as Json;
  return row.inChoice && isStream && json.finish_reason ? { ...json, usage: row.usage } : json;
}

beforeAll(async () => {
  upstream = await startFixtureUpstream(withRow);
  for (const format of new Set(usageRows.map((row) => row.format))) {
    const { model: _, isWebSocket: __, ...values } = UPSTREAMS[format] ?? { type: 1 };
    const ofFormat = cases.filter(({ row }) => row.format === format).map(({ model }) => model);
    const baseUrl = `${upstream.url}/f/${format}/text`;
    await relay.addChannel({ ...values, baseUrl, models: [...new Set(ofFormat)].join(",") });
  }
  await relay.inForce();
  const caller = await relay.addCaller({ balance: 1_000_000_000_000 });
  ({ key } = caller.token);
  ({ user } = caller);
});
afterAll(() => upstream.close());

async function ask({ row, model, caller, isStream }: Case): Promise<void> {
  const { text = 0, cached = 0, written = 0, soundIn = 0 } = row.due;
  // No token is shorter than a byte: with fewer the usage would be more than the request can have caused.
  const tokens = row.model === undefined ? text + cached + written + soundIn : 0;
  const content = "river ".repeat(1 + Math.ceil(tokens / 6));
  const verb = isStream ? "streamGenerateContent?alt=sse" : "generateContent";
  const path = OWN[caller] || `/v1beta/models/${model}:${verb}`;
  const bodies: Readonly<Record<string, Json>> = {
    [CHAT]: { messages: [{ role: "user", content }], stream_options: isStream ? { include_usage: true } : undefined },
    "openai-responses": { input: content },
    [MESSAGES]: { messages: [{ role: "user", content }], max_tokens: 100_000 },
    "gemini-generate-content": { contents: [{ role: "user", parts: [{ text: content }] }] },
  };
  const named = OWN[caller] ? { model, stream: isStream } : {};
  const response = await fetch(`${relay.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ ...bodies[caller], ...named }),
  });
  const answer = await response.text();
  if (response.status !== 200) throw new Error(`${model}: ${response.status} ${answer}`);
}

/** The formula of contract §5.2 in whole numbers: ratios in hundredths, so that nothing is rounded before the end. */
function formula(due: Due, other: Json): number {
  const { text = 0, cached = 0, written = 0, soundIn = 0, out, soundOut = 0 } = due;
  const hundredths = (ratio: unknown): bigint => BigInt(Math.round(Number(ratio) * 100));
  const sound = hundredths(other.audio_ratio ?? 0);
  const spoken = sound * hundredths(other.audio_completion_ratio ?? 0);
  const tokens =
    BigInt(text) * 10_000n +
    BigInt(cached) * 100n * hundredths(RATIOS.cache) +
    BigInt(written) * 100n * hundredths(RATIOS.write) +
    BigInt(soundIn) * 100n * sound +
    BigInt(out) * 100n * hundredths(RATIOS.completion) +
    BigInt(soundOut) * spoken;
  const exact = tokens * hundredths(RATIOS.model) * hundredths(RATIOS.group);
  const unit = 100_000_000n;
  return Math.max(1, Number((2n * exact + unit) / (2n * unit)));
}

test("there are at least sixty, twenty of them of OpenAI's shape by different providers, each with its source", () => {
  expect(usageRows.length).toBeGreaterThanOrEqual(60);
  expect(usageRows.filter(({ source }) => !URL.canParse(source))).toEqual([]);
  const ofChat = usageRows.filter(({ format }) => format === CHAT);
  expect(new Set(ofChat.map(({ provider }) => provider)).size).toBeGreaterThanOrEqual(20);
  expect(usageRows.filter(({ seen }) => seen === "none").length).toBeLessThanOrEqual(2);
  expect(new Set(usageRows.map(({ format, provider, what }) => `${format} ${provider} ${what}`)).size).toBe(
    usageRows.length,
  );
});

test("each is charged to the last unit, whole and streamed, passed through and translated (B318)", async () => {
  for (let at = 0; at < cases.length; at += 24) await Promise.all(cases.slice(at, at + 24).map(ask));
  await until(async () => (await relay.logsOf(user)).length === cases.length, 10_000);
  const rows = new Map((await relay.logsOf(user)).map((row) => [`${row.model} ${row.stream}`, row]));
  const asCharged = cases.map((one) => {
    const { quota = -1, other = {} } = rows.get(`${one.model} ${one.isStream}`) ?? {};
    const { soundIn = 0, soundOut = 0 } = one.row.due;
    // With sound the price of a token of it counts, which the log row says.
    if (soundIn + soundOut > 0) expect(other.audio_ratio).toBeGreaterThan(0);
    return { one, quota, due: formula(one.row.due, other), rejected: other.usage_rejected };
  });
  const wrong = asCharged.filter(({ quota, due, rejected }) => quota !== due || rejected !== undefined);
  expect(
    wrong.map(({ one: { row, caller, isStream }, quota, due, rejected }) => ({
      ...{ row: `${row.format}, ${row.provider}: ${row.what}`, caller, isStream, quota, due, rejected },
    })),
  ).toEqual([]);
}, 60_000);
