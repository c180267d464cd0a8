import { afterAll, beforeAll, expect } from "vitest";
import { DEAR_OPTIONS } from "@/lib/option/dear-options";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { findEndpoint } from "@/lib/relay/side/endpoints";
import type { KnownNames } from "@/lib/relay/wire/dialects/common/known-names";
import { setUpRelay, until } from "../relay/harness";
import { fileOf, wave } from "../relay/media-harness";
import { startDearestUpstream } from "./dearest-upstream";
import { type HeldUpstream, holdUpstream } from "./held-upstream";
import { COHERE, type Field, fieldsIn, GOOGLE, namesIn, OPENAI, partsIn, snakeCase } from "./operation-catalogue";
import type { Json } from "./scripted-upstream";

const { openai, gemini, cohere, jina } = CHANNEL_TYPE;

/** A way to ask for an operation at a kind of upstream. */
export type Way = {
  path: string;
  model: string;
  type: number;
  plain: Json;
  fields: readonly Field[];
  /** The body is a form, with a file under this name. */
  file?: "file" | "image";
  /** What asks for a stream; absent = there is none. */
  streamed?: Json;
  /** What a plain request costs, where more than three times that is reserved for it. Default 13,000. */
  plainCost?: number;
};

export const BALANCE = 40_000;
/** Of a plain request: three are paid for, and nothing that costs more. */
const PLAIN_COST = 13_000;
const RICH = 1_000_000_000_000;

const picture = { prompt: "a weir" };
const images = `${OPENAI}/images.d.ts`;
const drawing = fieldsIn(images, "ImageGenerateParamsBase");
const editing = fieldsIn(images, "ImageEditParamsBase");
const audio = `${OPENAI}/audio`;
const said = { input: "It runs over the weir. ".repeat(20), voice: "alloy" };
const speaking = fieldsIn(`${audio}/speech.d.ts`, "SpeechCreateParams");
const hearing = fieldsIn(`${audio}/transcriptions.d.ts`, "TranscriptionCreateParamsBase");
const translating = fieldsIn(`${audio}/translations.d.ts`, "TranslationCreateParams");
const embedding = fieldsIn(`${OPENAI}/embeddings.d.ts`, "EmbeddingCreateParams");
const content = { parts: [{ text: "a river" }] };
const embeddingHere = [
  ...fieldsIn(GOOGLE, "EmbedContentConfig"),
  ...partsIn((part) => ({ content: { parts: [...content.parts, part] } })),
];
const stream = { stream: true };
const inForm = { stream: "true" };
const snake = (file: string, type: string): Field[] => fieldsIn(`${COHERE}/${file}.d.ts`, type, snakeCase);
const ranking = { query: "water", documents: ["a river", "a stone"] };

export const TEXT_WAYS: readonly Way[] = [
  {
    ...{ path: "/v1/completions", model: "gpt-3.5-turbo-instruct", type: openai, streamed: stream },
    plain: { prompt: "Once", max_tokens: 20 },
    fields: fieldsIn(`${OPENAI}/completions.d.ts`, "CompletionCreateParamsBase"),
  },
  {
    ...{ path: "/v1/embeddings", model: "text-embedding-3-small", type: openai },
    plain: { input: "a river" },
    fields: embedding,
  },
  {
    ...{ path: "/v1/engines/text-embedding-3-large/embeddings", model: "text-embedding-3-large", type: openai },
    plain: { input: "a river" },
    fields: embedding,
  },
  {
    ...{ path: "/v1beta/models/gemini-embedding-2:embedContent", model: "gemini-embedding-2", type: gemini },
    plain: { content },
    fields: embeddingHere,
  },
  {
    ...{ path: "/v1beta/models/gemini-embedding-3:batchEmbedContents", model: "gemini-embedding-3", type: gemini },
    plain: { requests: [{ model: "models/gemini-embedding-3", content }] },
    fields: embeddingHere.map(({ what, more }) => ({
      what,
      more: { requests: [{ model: "models/gemini-embedding-3", content, ...more }] },
    })),
  },
  {
    ...{ path: "/v2/embed", model: "embed-v4.0", type: cohere },
    plain: { texts: ["a river"], input_type: "search_query", embedding_types: ["float"] },
    fields: snake("V2EmbedRequest", "V2EmbedRequest"),
  },
  {
    ...{ path: "/v1/rerank", model: "jina-reranker-m0", type: jina },
    plain: ranking,
    fields: [...snake("V2RerankRequest", "V2RerankRequest"), ...namesIn(namesOf("/v1/rerank"))],
  },
  {
    ...{ path: "/v2/rerank", model: "rerank-v4.0-pro", type: cohere },
    plain: ranking,
    fields: snake("V2RerankRequest", "V2RerankRequest"),
  },
  {
    ...{ path: "/v1/moderations", model: "omni-moderation-latest", type: openai },
    plain: { input: "a river" },
    fields: fieldsIn(`${OPENAI}/moderations.d.ts`, "ModerationCreateParams"),
  },
];

/** Pictures and sound. */
export const MEDIA_WAYS: readonly Way[] = [
  ...["gpt-image-1.5", "gpt-image-2", "house-pictures", "dall-e-3"].map((model) => ({
    ...{ path: "/v1/images/generations", model, type: openai, streamed: stream },
    plain: picture,
    fields: drawing,
  })),
  ...["gemini-3-pro-image", "imagen-4.0-generate-001"].map((model) => ({
    ...{ path: "/v1/images/generations", model, type: gemini },
    plain: picture,
    fields: drawing,
  })),
  ...["gpt-image-2-edits", "house-edits"].map((model) => ({
    ...{ path: "/v1/images/edits", model, type: openai, file: "image" as const, streamed: inForm },
    plain: picture,
    fields: editing,
  })),
  {
    ...{ path: "/v1/images/edits", model: "gpt-image-2-json", type: openai, streamed: stream },
    plain: { ...picture, images: [{ image_url: "https://weir.example/a.png" }] },
    fields: editing,
  },
  {
    ...{ path: "/v1/images/variations", model: "house-variations", type: openai, file: "image" },
    plain: {},
    fields: fieldsIn(images, "ImageEditParamsBase"),
  },
  ...["gpt-4o-mini-tts", "house-voice", "tts-1"].map((model) => ({
    ...{ path: "/v1/audio/speech", model, type: openai, streamed: { stream_format: "sse" } },
    plain: said,
    plainCost: 9_000,
    fields: speaking,
  })),
  ...["gpt-4o-transcribe", "house-ears", "whisper-1"].map((model) => ({
    ...{ path: "/v1/audio/transcriptions", model, type: openai, file: "file" as const, streamed: inForm },
    ...{ plainCost: 4_000 },
    plain: {},
    fields: hearing,
  })),
  ...["gpt-4o-mini-transcribe", "whisper-large"].map((model) => ({
    ...{ path: "/v1/audio/translations", model, type: openai, file: "file" as const },
    ...{ plainCost: 4_000 },
    plain: {},
    fields: translating,
  })),
];

/** Which operation, and which of its paths, a way asks for. */
export function placeOf(path: string): string {
  const found = findEndpoint({ method: "POST", url: path });
  if (found.kind !== "operation") throw new Error(`${path} is no operation`);
  const at = found.operation.endpoints.findIndex((one) =>
    typeof one.path === "string" ? one.path === path : one.path.test(path),
  );
  return `${found.operation.id} ${at}`;
}

function bodyOf({ model, plain, file, streamed }: Way, more: Json, isStream: boolean): FormData | string {
  const json = { model, ...plain, ...(isStream ? streamed : {}), ...more };
  if (!file) return JSON.stringify(json);
  const form = new FormData();
  for (const [name, value] of Object.entries(json)) {
    if (name === "image" || name === "mask" || name === "file") continue;
    for (const one of Array.isArray(value) ? value : [value]) {
      const isList = Array.isArray(value);
      form.append(isList ? `${name}[]` : name, typeof one === "object" ? JSON.stringify(one) : String(one));
    }
  }
  const isSound = file === "file";
  form.append(file, fileOf(wave(4), isSound ? "a.wav" : "a.png", isSound ? "audio/wav" : "image/png"));
  if ("mask" in more) form.append("mask", fileOf(wave(2), "b.png", "image/png"));
  return form;
}

/** As many at once as the balance pays for, if each costs no more than a plain one. */
const timesOf = ({ plainCost = PLAIN_COST }: Way): number => Math.floor(BALANCE / plainCost);

type Attack = { what: string; served: number; left: number };

/** A field, and how many requests have it at once. */
type Tried = Field & { times: number };

/** So many requests are asked together, those of each field by a caller of its own. More wait for each other's bodies. */
const TOGETHER = 80;

/** A gateway with an upstream that charges as much as it can, behind something that keeps its answers back. */
export function setUpAttacks(ways: readonly Way[]) {
  const models = [...new Set(ways.map(({ model }) => model))];
  const relay = setUpRelay({
    prices: models.join(","),
    options: {
      AllowedRequestOptions: DEAR_OPTIONS.join("\n"),
      StreamDrainsMax: "10000",
      StreamDrainsPerUserMax: "10000",
      RetryTimes: "0",
      // Answers are held back until all have asked.
      UpstreamFirstByteSeconds: "300",
      UpstreamFirstByteWholeSeconds: "300",
      UpstreamFirstTokenSeconds: "300",
      UpstreamAloneSeconds: "600",
    },
    gateway: { uploadFolder: `/tmp/weir-overspend-${process.pid}` },
    channels: [],
  });
  let held: HeldUpstream;
  let upstream: Awaited<ReturnType<typeof startDearestUpstream>>;

  beforeAll(async () => {
    upstream = await startDearestUpstream();
    held = await holdUpstream(upstream.url);
    for (const type of new Set(ways.map((way) => way.type))) {
      const served = ways.filter((way) => way.type === type).map(({ model }) => model);
      await relay.addChannel({ type, baseUrl: held.url, models: [...new Set(served)].join(",") });
    }
    await relay.setOption("ModelRatio", Object.fromEntries(models.map((model) => [model, 1])));
    await relay.setOption("ModelMeterPrices", METERS);
    await relay.inForce();
    const ratios = await Promise.all(
      ways.map(async (way) => [way.model, (way.plainCost ?? PLAIN_COST) / (await costOf(way))] as const),
    );
    await relay.setOption("ModelRatio", Object.fromEntries(ratios));
    await relay.inForce();
  }, 60_000);
  afterAll(async () => {
    await held.close();
    await upstream.close();
  });

  /** What a plain request costs at a ratio of 1. */
  async function costOf(way: Way): Promise<number> {
    const { user, token } = await relay.addCaller({ balance: RICH });
    const response = await ask(token.key, way, {}, way.streamed !== undefined && way.model !== "tts-1");
    if (response.status !== 200) throw new Error(`${way.path} with ${way.model}: ${await response.text()}`);
    await response.arrayBuffer();
    await until(async () => (await relay.logsOf(user)).length === 1, 10_000);
    return (await relay.logsOf(user))[0]?.quota ?? 0;
  }

  function ask(key: string, way: Way, more: Json, isStream: boolean, signal?: AbortSignal): Promise<Response> {
    const body = bodyOf(way, more, isStream);
    return fetch(relay.url + way.path, {
      method: "POST",
      signal: signal ?? null,
      headers: {
        authorization: `Bearer ${key}`,
        ...(typeof body === "string" ? { "content-type": "application/json" } : {}),
      },
      body,
    });
  }

  /**
   * For each field some requests at once, which wait for their answers, but for every third one: it leaves when the upstream
   * has them all.
   */
  async function attack(way: Way, fields: readonly Tried[]): Promise<Attack[]> {
    const done: Attack[] = [];
    const together = Math.floor(TOGETHER / timesOf(way));
    for (let at = 0; at < fields.length; at += together)
      done.push(...(await attackSome(way, fields.slice(at, at + together))));
    return done;
  }

  async function attackSome(way: Way, fields: readonly Tried[]): Promise<Attack[]> {
    held.hold();
    let over = 0;
    const leaving = new AbortController();
    const begun = await Promise.all(
      fields.map(async ({ more, times, what }) => {
        const { user, token } = await relay.addCaller({ balance: BALANCE });
        const asking = Array.from({ length: times }, async (_, at): Promise<number | null> => {
          const isStream = at % 2 === 1 && way.streamed !== undefined;
          const signal = at % 3 === 0 ? leaving.signal : undefined;
          const response = await ask(token.key, way, more, isStream, signal).catch(() => null);
          if (!response) return null;
          if (response.status !== 200) over += 1;
          await response.arrayBuffer().catch(() => null);
          return response.status === 200 && signal?.aborted ? null : response.status;
        });
        return { what, user, asking };
      }),
    );
    const asked = fields.reduce((sum, { times }) => sum + times, 0);
    await until(() => held.waiting() + over >= asked, 100_000);
    leaving.abort();
    held.release();
    const served = await Promise.all(
      begun.map(async ({ asking }) => {
        const statuses = await Promise.all(asking);
        return statuses.filter((status) => status === 200 || status === null).length;
      }),
    );
    const users = begun.map(({ user }) => user);
    const rows = served.reduce((sum, count) => sum + count, 0);
    await until(async () => (await booked(users)) >= rows, 60_000);
    const left = await balancesOf(users);
    return begun.map(({ what, user }, at) => ({ what, served: served[at] ?? 0, left: left.get(user) ?? 0 }));
  }

  async function booked(users: readonly number[]): Promise<number> {
    const [row] = await relay.database.sql<{ count: number }[]>`
      select count(*)::int as count from usage_logs where user_id in ${relay.database.sql(users)} and type = 2`;
    return row?.count ?? 0;
  }

  async function balancesOf(users: readonly number[]): Promise<ReadonlyMap<number, number>> {
    const rows = await relay.database.sql<{ id: number; quota: number }[]>`
      select id, quota from users where id in ${relay.database.sql(users)}`;
    return new Map(rows.map(({ id, quota }) => [id, quota]));
  }

  /** Tries every field of a way, and many plain requests at once. Some are served, and no balance falls below 0. */
  async function expectNoDebt(way: Way): Promise<void> {
    const plain = { what: "plain", more: {}, times: 20 };
    const attacks = await attack(way, [plain, ...way.fields.map((field) => ({ ...field, times: timesOf(way) }))]);
    expect(attacks.filter(({ left }) => left < 0)).toEqual([]);
    expect(attacks[0]?.served).toBeGreaterThan(0);
    expect(attacks.filter(({ served }) => served > 0).length).toBeGreaterThan(1);
  }

  return { expectNoDebt };
}

/** USD for what is counted by meters; a USD is 500,000 quota. */
const METERS = {
  "dall-e-3": { picture: 0.013, "picture:1792x1024": 0.026 },
  "tts-1": { character: 0.000_04 },
  "whisper-1": { second: 0.01 },
  "rerank-v4.0-pro": { search: 0.026 },
};

/** The names that Weir reads in requests to a path. */
export function namesOf(path: string): KnownNames {
  return findEndpoint({ method: "POST", url: path }).clientDialect.names;
}
