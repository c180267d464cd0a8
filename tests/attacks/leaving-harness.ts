import type { ServerResponse } from "node:http";
import { afterAll, beforeAll } from "vitest";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { countTokens } from "@/lib/relay/base/tokens/count-tokens";
import { startDocumentUpstream } from "@/lib/testing/fake-documents";
import { startMediaUpstream } from "@/lib/testing/fake-media";
import { startFixtureUpstream } from "@/lib/testing/fixture-upstream";
import { type Relay, setUpRelay, until } from "../relay/harness";
import { fileOf, wave } from "../relay/media-harness";
import { requestOf, type Scenario } from "../relay/wire/matrix/scenarios";
import { UPSTREAMS } from "../relay/wire/matrix/upstreams";
import { type HeldUpstream, holdUpstream } from "./held-upstream";

/** A request of every kind that upstreams bill. `operation`: as in lib/operations.ts. */
export type LeavingCase = {
  name: string;
  operation: string;
  isStream: boolean;
  path: string;
  body: () => FormData | Record<string, unknown>;
};

const TEXT: Scenario = { name: "text", request: "text", answer: "text" };
const CALLERS: Readonly<Record<string, string>> = {
  "openai-chat": "/v1/chat/completions",
  "openai-responses": "/v1/responses",
  "anthropic-messages": "/v1/messages",
  "gemini-generate-content": "",
};
/** An access token is asked for on the way, which would be kept back like an answer; a socket is opened first. */
const NOT_HELD = new Set(["ernie", "spark"]);
const FORMATS = Object.keys(UPSTREAMS).filter((format) => !NOT_HELD.has(format));
const chatModel = (format: string): string => `${UPSTREAMS[format]?.model ?? ""}${format}.text`;

function conversation(caller: string, format: string, isStream: boolean): LeavingCase {
  const model = chatModel(format);
  const verb = isStream ? "streamGenerateContent?alt=sse" : "generateContent";
  const path = CALLERS[caller] || `/v1beta/models/${model}:${verb}`;
  const named = CALLERS[caller] ? { model, stream: isStream } : {};
  const body = () => ({ ...requestOf(caller, TEXT), ...named });
  const name = `${caller} at ${format}, ${isStream ? "streamed" : "whole"}`;
  return { name, operation: "chat", isStream, path, body };
}

/** Callers of every dialect at upstreams of every dialect, and one caller at those that only upstreams speak. */
const conversations = Object.keys(CALLERS).flatMap((caller) =>
  FORMATS.filter((format) => format in CALLERS || caller === "openai-chat").flatMap((format) =>
    [true, false].map((isStream) => conversation(caller, format, isStream)),
  ),
);

const DOCUMENT_MODEL = "openai-text";
const RERANK_MODEL = "jina-rank";
const PICTURES = "drawn-pictures";
const SPOKEN = "tts-left";
/** The upstream refuses it. */
export const REFUSED = "tts-429";
const HEARD = "heard-left";

/** Texts of a form; a file is added. */
function form(fields: Record<string, string>, name: string): FormData {
  const made = new FormData();
  for (const [key, value] of Object.entries(fields)) made.append(key, value);
  made.append(name, fileOf(wave(2), name === "file" ? "a.wav" : "a.png", name === "file" ? "audio/wav" : "image/png"));
  return made;
}

const whole = (operation: string, path: string, body: LeavingCase["body"], what = ""): LeavingCase => ({
  name: `${path}${what}`,
  operation,
  isStream: false,
  path,
  body,
});
const drawn = (more: Record<string, unknown>) => () => ({ model: PICTURES, prompt: "a weir", ...more });

const others: readonly LeavingCase[] = [
  whole("completions", "/v1/completions", () => ({ model: DOCUMENT_MODEL, prompt: "Once", max_tokens: 20 })),
  {
    ...whole(
      "completions",
      "/v1/completions",
      () => ({ model: DOCUMENT_MODEL, prompt: "Once", stream: true }),
      ", streamed",
    ),
    isStream: true,
  },
  whole("embeddings", "/v1/embeddings", () => ({ model: DOCUMENT_MODEL, input: "a river" })),
  whole("moderations", "/v1/moderations", () => ({ model: DOCUMENT_MODEL, input: "a river" })),
  whole("rerank", "/v1/rerank", () => ({ model: RERANK_MODEL, query: "water", documents: ["a river", "a stone"] })),
  whole("images", "/v1/images/generations", drawn({ n: 3 })),
  { ...whole("images", "/v1/images/generations", drawn({ stream: true }), ", streamed"), isStream: true },
  whole("image_edits", "/v1/images/edits", () => form({ model: PICTURES, prompt: "a weir", n: "2" }, "image")),
  whole("image_edits", "/v1/images/variations", () => form({ model: PICTURES, n: "2" }, "image")),
  whole("speech", "/v1/audio/speech", () => ({ model: SPOKEN, voice: "alloy", input: "hello there" })),
  {
    ...whole(
      "speech",
      "/v1/audio/speech",
      () => ({ model: SPOKEN, voice: "alloy", input: "hello there", stream_format: "sse" }),
      ", streamed",
    ),
    isStream: true,
  },
  whole("transcriptions", "/v1/audio/transcriptions", () => form({ model: HEARD }, "file")),
  whole("transcriptions", "/v1/audio/translations", () => form({ model: HEARD }, "file")),
  {
    ...whole(
      "transcriptions",
      "/v1/audio/transcriptions",
      () => form({ model: HEARD, stream: "true" }, "file"),
      ", streamed",
    ),
    isStream: true,
  },
];

export const LEAVING_CASES: readonly LeavingCase[] = [...conversations, ...others];

/** The case with this name. */
export function leavingCase(name: string): LeavingCase {
  const found = LEAVING_CASES.find((one) => one.name === name);
  if (!found) throw new Error(`no case is called ${name}`);
  return found;
}

/** Each dialect as it is. */
export const DIALECT_CASES = Object.keys(CALLERS).flatMap((caller) =>
  [true, false].map((isStream) => conversation(caller, caller, isStream)),
);
export const OTHER_CASES = others;
export const DISTINCT_CASES = [...OTHER_CASES, ...DIALECT_CASES];

/** Of a picture, which has a price per call. */
export const PICTURE_QUOTA = 6_000;

export type Row = { quota: number; prompt: number; completion: number; cost: number | null; unknown: number };

/** A gateway with an upstream for every case, each behind something that keeps its answers back. */
export function setUpLeaving() {
  const models = [...FORMATS.map(chatModel), DOCUMENT_MODEL, RERANK_MODEL, SPOKEN, HEARD];
  const relay = setUpRelay({
    prices: models.join(","),
    options: { RetryTimes: "0", ModelPrice: { [PICTURES]: PICTURE_QUOTA / 500_000, [REFUSED]: 1 }, ...USUAL },
  });
  const holds: HeldUpstream[] = [];
  const closing: (() => Promise<void>)[] = [];
  const responses: ServerResponse[] = [];
  const channels: Parameters<Relay["addChannel"]>[0][] = [];

  beforeAll(async () => {
    // The first count loads its tables, which may take longer than a request waits.
    await until(async () => (await countTokens(["hello world"], "any")) === 2, 10_000);
    const started = [await startFixtureUpstream(), await startDocumentUpstream(), await startMediaUpstream()];
    for (const { url, close } of started) {
      holds.push(await holdUpstream(url));
      closing.push(close);
    }
    const [fixtures, documents, media] = holds.map(({ url }) => url);
    for (const format of FORMATS) {
      const { model: _, isWebSocket: __, ...values } = UPSTREAMS[format] ?? { type: 1 };
      channels.push({ ...values, baseUrl: `${fixtures}/f/${format}/text`, models: chatModel(format) });
    }
    const { openai: type, jina } = CHANNEL_TYPE;
    channels.push({ type, baseUrl: `${documents}/openai`, models: DOCUMENT_MODEL });
    channels.push({ type: jina, baseUrl: `${documents}/jina`, models: RERANK_MODEL });
    channels.push({ type, baseUrl: media, models: [PICTURES, SPOKEN, HEARD, REFUSED].join(",") });
    relay.gateway.server.on("request", (_request, response) => void responses.push(response));
    await withOptions({});
  });
  afterAll(async () => {
    for (const hold of holds) await hold.close();
    for (const close of closing) await close();
  });

  async function withOptions(options: Partial<typeof USUAL>): Promise<void> {
    await relay.reset();
    for (const [name, value] of Object.entries(options)) await relay.setOption(name, value);
    for (const channel of channels) await relay.addChannel(channel);
    await relay.inForce();
  }

  function ask(key: string, { path, body }: LeavingCase, signal?: AbortSignal): Promise<Response> {
    const given = body();
    const isForm = given instanceof FormData;
    return fetch(relay.url + path, {
      method: "POST",
      signal: signal ?? null,
      headers: { authorization: `Bearer ${key}`, ...(isForm ? {} : { "content-type": "application/json" }) },
      body: isForm ? given : JSON.stringify(given),
    });
  }

  return {
    relay,
    withOptions,
    ask,
    hold: (what?: "all" | "bodies") => {
      for (const one of holds) one.hold(what);
    },
    release: () => {
      for (const one of holds) one.release();
    },
    breakOff: () => {
      for (const one of holds) one.breakOff();
    },
    waiting: () => holds.reduce((sum, one) => sum + one.waiting(), 0),
    /** Asks, and can leave; `refused` is the status of an answer that came all the same. */
    begin(key: string, asked: LeavingCase) {
      const leaving = new AbortController();
      const over = ask(key, asked, leaving.signal).then(
        async (response) => {
          await response.arrayBuffer().catch(() => null);
          return response.status;
        },
        () => null,
      );
      return { over, leave: () => leaving.abort() };
    },
    /** The gateway knows of all that they are over for their callers. */
    allHaveLeft: () => until(() => responses.every(({ closed }) => closed), 20_000),
    async rowOf(user: number): Promise<Row> {
      const rows = await rowsOf(relay, user, 1);
      const [row] = rows;
      if (!row) throw new Error("nothing was logged");
      return row;
    },
    rowsOf: (user: number, count: number) => rowsOf(relay, user, count),
  };
}

async function rowsOf(relay: Relay, user: number, count: number): Promise<Row[]> {
  const read = () => relay.database.sql<Row[]>`
    select quota, prompt_tokens as prompt, completion_tokens as completion, cost, unknown_costs as unknown
    from usage_logs where user_id = ${user} and type = 2`;
  await until(async () => (await read()).length === count, 20_000);
  return await read();
}

const USUAL = {
  StreamDrainSeconds: "10",
  UnseenDrainSeconds: "30",
  StreamDrainsMax: "1000",
  StreamDrainsPerUserMax: "1000",
  AbandonedRequestsMax: "0",
  UpstreamFirstByteSeconds: "15",
  UpstreamFirstByteWholeSeconds: "120",
  UpstreamFirstTokenSeconds: "10",
  UpstreamAloneSeconds: "300",
};
