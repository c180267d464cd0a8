import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Json } from "./scripted-upstream";

/** A request for anything but a conversation, as an upstream gets it. `files`: how many bytes each has. */
type Asked = { path: string; body: Json; files: readonly number[] };
/** The most that it can cost. `pictures`: how many are drawn. */
type Used = {
  prompt: number;
  completion: number;
  text?: string;
  pictures?: number;
  texts?: number;
  seconds?: number;
  units?: number;
};
type Route = { path: RegExp; used(asked: Asked): Used; answer(used: Used, asked: Asked): Json | Json[] | Buffer };

/** Dense text has a token for every three bytes; what is denser is among the written bounds. */
const tokensOf = (value: unknown): number => Math.ceil((textsIn(value).length || 0) / 3);
const most = (...values: unknown[]): number => Math.max(0, ...values.map(Number).filter(Number.isFinite));
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : value === undefined ? [] : [value]);

/** What a model reads as text: neither numbers nor the data and addresses of files. */
function textsIn(value: unknown): string {
  if (typeof value === "string") return /^(data:|https?:)/.test(value) ? "" : value;
  if (typeof value !== "object" || value === null) return "";
  return Object.entries(value)
    .filter(([name]) => !FILES.test(name))
    .map(([, inner]) => textsIn(inner))
    .join(" ");
}

const FILES = /^(inlineData|fileData|inline_data|file_data|image_url|images?|mask|markup|known_speaker_references)/;
const countOf = (value: unknown, pattern: RegExp): number => JSON.stringify(value ?? "").match(pattern)?.length ?? 0;
const filesIn = (value: unknown): number => countOf(value, /"(inlineData|fileData|image_url|image)":/g);

/** Token arrays are read as they are. */
function inputTokens(input: unknown): number {
  if (typeof input === "number") return 1;
  if (Array.isArray(input)) return input.reduce((sum: number, one) => sum + inputTokens(one), 0);
  return tokensOf(input);
}

/** Google's newer model embeds at most so many of a content, whatever it consists of: ai.google.dev/gemini-api/docs/embeddings */
const EMBEDDED_MAX = 8_192;
const PICTURE_EMBEDDED = 4_000;

function embedded(items: readonly unknown[]): Used {
  const tokens = items.map((item) => {
    const { content, title } = item as Json;
    return filesIn(content) > 0 ? EMBEDDED_MAX : Math.min(EMBEDDED_MAX, tokensOf([(content as Json).parts, title]));
  });
  const prompt = tokens.reduce((sum, one) => sum + one, 0);
  return { prompt, completion: 0 };
}

/** Cohere reads a part of 500 tokens, with the query in it, as a document; a unit is 100 of them: cohere.com/pricing */
function searchUnits({ query, documents, max_tokens_per_doc: limit }: Json): number {
  const room = 500 - Math.min(tokensOf(query), 250);
  const partsOf = (document: unknown): number =>
    Math.max(1, Math.ceil(Math.min(tokensOf(document), Number(limit ?? 4_096)) / room));
  return Math.ceil(listOf(documents).reduce((sum: number, one) => sum + partsOf(one), 0) / 100);
}

/** gpt-image-2 and later, by the pixels of all frames: community.openai.com/t/…/1382699 (OpenAI's own calculator). */
function newerPicture(width: number, height: number, factor: number): number {
  const [long, short] = [Math.max(width, height), Math.min(width, height)];
  const shorter = Math.floor((2 * factor * short + long) / (2 * long));
  return Math.ceil((factor * shorter * (2_000_000 + width * height)) / 4_000_000);
}

const FACTORS: Readonly<Record<string, number>> = { low: 16, medium: 48, high: 96, xhigh: 96, max: 96 };
/** The budget of a picture, and of all frames of an animation: docs.apiyi.com/…/gpt-image-2-6-gif-size-table */
const SIDE_MAX = 2_880;

function pictureTokens({ model, size, quality, output_format: format }: Json): number {
  const [, width = 1_024, height = 1_024] = (/^(\d+)x(\d+)$/.exec(String(size)) ?? []).map(Number);
  if (/^gpt-image-1/.test(String(model))) return width === height ? 4_160 : 6_240;
  if (format === "gif") return newerPicture(SIDE_MAX, SIDE_MAX, 96);
  return newerPicture(width, height, FACTORS[String(quality)] ?? 96);
}

function drawn({ body, files }: Asked): Used {
  const pictures = Math.max(1, most(body.n, body.num_images, body.batch_size));
  const given = files.length + countOf(body.images ?? body.image, /"(https?|data):/g);
  const completion = pictures * (pictureTokens(body) + 100 * most(body.partial_images));
  return { prompt: tokensOf(body.prompt) + given * 6_500, completion, pictures };
}

/** A second has 21 tokens and 15 characters, at the slowest speed that can be chosen a quarter of that. */
function spoken({ body }: Asked): Used {
  const slow = Math.max(2, 1 / (Number(body.speed) || 1));
  const completion = Math.ceil(String(body.input).length * 1.4 * slow + 20);
  return { prompt: tokensOf([body.input, body.instructions]), completion };
}

/** A thousand tokens a minute, and the samples of speakers, of ten seconds at most, which are heard as well. */
function heard({ body, files }: Asked): Used {
  const seconds = files.reduce((sum, bytes) => sum + bytes / 16_000, 0);
  const samples = countOf(body, /data:audio/g);
  const texts = tokensOf({ ...body, model: "" });
  const prompt = texts + Math.ceil((seconds + samples * 10) * (1_000 / 60));
  return { prompt, texts, completion: Math.min(2_000, Math.ceil(seconds * 4)), seconds: Math.ceil(seconds) };
}

function written({ body }: Asked): Used {
  const prompts = Array.isArray(body.prompt) && typeof body.prompt[0] !== "number" ? body.prompt : [body.prompt];
  const each = Math.min(most(body.max_tokens, body.max_completion_tokens) || 500, body.stream === true ? 20 : 500);
  const choices = prompts.length * Math.max(1, most(body.n, body.best_of));
  const shown = each * prompts.length * Math.max(1, most(body.n));
  return {
    prompt: inputTokens(prompts) + tokensOf(body.suffix),
    completion: each * choices,
    text: "ab ".repeat(shown),
  };
}

const vectors = (count: number) => Array.from({ length: count }, () => [0.5, 0.25]);
const total = ({ prompt, completion }: Used): Json => ({
  ...{ prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
});
/** `texts`: the tokens of the prompt that are not sound. */
const media = ({ prompt, completion, texts = prompt }: Used): Json => ({
  ...{ input_tokens: prompt, output_tokens: completion, total_tokens: prompt + completion },
  input_token_details: { text_tokens: texts, audio_tokens: prompt - texts },
});
const google = ({ prompt, completion }: Used): Json => ({
  ...{ promptTokenCount: prompt, candidatesTokenCount: completion, totalTokenCount: prompt + completion },
});
const isTokens = (input: unknown): boolean => Array.isArray(input) && typeof input[0] === "number";
const ranked = (documents: unknown): Json[] => listOf(documents).map((_, index) => ({ index, relevance_score: 0.5 }));
const BYTES = "d2hvbGU=";

const ROUTES: readonly Route[] = [
  {
    path: /\/v1\/completions$/,
    used: written,
    answer: (used, { body }) => {
      const head = { id: "c", object: "text_completion", model: "m" };
      const choices = [{ index: 0, text: used.text, logprobs: null, finish_reason: "stop" }];
      const whole = { ...head, choices, usage: total(used) };
      return body.stream === true
        ? [
            { ...head, choices },
            { ...head, choices: [], usage: total(used) },
          ]
        : whole;
    },
  },
  {
    path: /\/v1\/embeddings$/,
    used: ({ body }) => ({ prompt: inputTokens(body.input) + filesIn(body) * PICTURE_EMBEDDED, completion: 0 }),
    answer: (used, { body: { input } }) => ({
      object: "list",
      data: vectors(isTokens(input) ? 1 : listOf(input).length).map((embedding, index) => ({ index, embedding })),
      usage: total(used),
    }),
  },
  {
    path: /:embedContent$/,
    used: ({ body }) => embedded([body]),
    answer: (used) => ({ embedding: { values: [0.5] }, usageMetadata: google(used) }),
  },
  {
    path: /:batchEmbedContents$/,
    used: ({ body }) => embedded(listOf(body.requests)),
    answer: (used, { body }) => ({
      embeddings: listOf(body.requests).map(() => ({ values: [0.5] })),
      usageMetadata: google(used),
    }),
  },
  {
    path: /\/v2\/embed$/,
    used: ({ body: { texts, inputs, images } }) => {
      const pictures = filesIn(inputs) + listOf(images).length;
      return { prompt: tokensOf([texts, inputs]) + pictures * PICTURE_EMBEDDED, completion: 0 };
    },
    answer: ({ prompt }, { body: { texts, inputs, images } }) => ({
      embeddings: { float: vectors([texts, inputs, images].flatMap(listOf).length) },
      meta: { billed_units: { input_tokens: prompt } },
    }),
  },
  {
    path: /\/v1\/rerank$/,
    used: ({ body: { query, documents } }) => {
      const list = listOf(documents);
      return { prompt: list.length * tokensOf(query) + tokensOf(documents), completion: 0 };
    },
    answer: (used, { body }) => ({ results: ranked(body.documents), usage: { total_tokens: used.prompt } }),
  },
  {
    path: /\/v2\/rerank$/,
    used: ({ body }) => ({ prompt: 0, completion: 0, units: searchUnits(body) }),
    answer: ({ units }, { body }) => ({
      results: ranked(body.documents),
      meta: { billed_units: { search_units: units } },
    }),
  },
  {
    path: /\/v1\/moderations$/,
    used: ({ body }) => ({ prompt: tokensOf(body.input), completion: 0 }),
    answer: (used) => ({ id: "m", results: [{ flagged: false }], usage: total(used) }),
  },
  {
    path: /\/v1\/images\/\w+$/,
    used: drawn,
    answer: (used, { body, path }) => {
      const isTokens = !/^dall-e/.test(String(body.model));
      const usage = isTokens ? { usage: media(used) } : {};
      const pictures = Array.from({ length: used.pictures ?? 1 }, () => ({ b64_json: BYTES }));
      const kind = path.endsWith("edits") ? "image_edit" : "image_generation";
      if (String(body.stream) !== "true") return { created: 1, data: pictures, ...usage };
      return pictures.map((one, at) => ({ type: `${kind}.completed`, ...one, ...(at === 0 ? usage : {}) }));
    },
  },
  {
    path: /:predict$/,
    used: ({ body }) => ({ prompt: 0, completion: 0, pictures: most((body.parameters as Json).sampleCount) || 1 }),
    answer: ({ pictures }) => ({
      predictions: Array.from({ length: pictures ?? 1 }, () => ({ bytesBase64Encoded: BYTES, mimeType: "image/png" })),
    }),
  },
  {
    // Drafts are drawn as well, up to the limit of the answer, or of the model: ai.google.dev/gemini-api/docs/image-generation
    path: /:generateContent$/,
    used: ({ body }) => ({
      prompt: tokensOf(body.contents) + filesIn(body) * 1_500,
      completion: Math.min(32_768, most((body.generationConfig as Json | undefined)?.maxOutputTokens) || 32_768),
    }),
    answer: (used) => {
      const parts = [{ inlineData: { mimeType: "image/png", data: BYTES } }];
      return { candidates: [{ content: { role: "model", parts }, finishReason: "STOP" }], usageMetadata: google(used) };
    },
  },
  {
    path: /\/v1\/audio\/speech$/,
    used: spoken,
    answer: (used, { body }) => {
      if (body.stream_format !== "sse") return Buffer.from("sound");
      return [
        { type: "speech.audio.delta", audio: "AAEC" },
        { type: "speech.audio.done", usage: media(used) },
      ];
    },
  },
  {
    path: /\/v1\/audio\/(transcriptions|translations)$/,
    used: heard,
    answer: (used, { body }) => {
      const isTokens = !/^whisper/.test(String(body.model));
      const usage = isTokens ? { type: "tokens", ...media(used) } : { type: "duration", seconds: used.seconds };
      const format = String(body.response_format ?? "json");
      if (body.stream === "true" && isTokens) {
        return [
          { type: "transcript.text.delta", delta: "so" },
          { type: "transcript.text.done", text: "so", usage },
        ];
      }
      if (!/json$/.test(format)) return Buffer.from("1\n00:00:00,000 --> 00:00:02,000\nso\n");
      return { text: "so", ...(format === "verbose_json" ? { duration: used.seconds } : {}), usage };
    },
  },
];

/** The most that a request to this path can cost. */
export function usedBy(path: string, body: Json): Pick<Used, "prompt" | "completion"> {
  const route = ROUTES.find((one) => one.path.test(path));
  if (!route) throw new Error(`nobody knows what ${path} costs`);
  return route.used({ path, body, files: [] });
}

/** An upstream of everything but conversations, that charges for each request as much as its provider's rules allow. */
export async function startDearestUpstream() {
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => send(response, 500, { error: { message: String(error) } }));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise<void>((done) => server.close(() => done())),
  };
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const path = (request.url ?? "").replace(/\?.*/, "");
  const route = ROUTES.find((one) => one.path.test(path));
  if (!route) return send(response, 404, { error: { message: `no ${path} here` } });
  const asked = { path, ...(await readBody(Buffer.concat(parts), request.headers["content-type"] ?? "")) };
  const answer = route.answer(route.used(asked), asked);
  if (Buffer.isBuffer(answer)) response.writeHead(200, { "content-type": "audio/mpeg" }).end(answer);
  else if (Array.isArray(answer)) sendEvents(response, answer, path);
  else send(response, 200, answer);
}

async function readBody(bytes: Buffer, type: string): Promise<Pick<Asked, "body" | "files">> {
  if (!type.startsWith("multipart/form-data")) return { body: JSON.parse(bytes.toString("utf8")) as Json, files: [] };
  const form = await new Response(new Uint8Array(bytes), { headers: { "content-type": type } }).formData();
  const body: Json = {};
  const files: number[] = [];
  for (const [name, value] of form.entries()) {
    if (typeof value === "string") body[name] = name in body ? `${String(body[name])} ${value}` : value;
    else files.push(value.size);
  }
  return { body, files };
}

function sendEvents(response: ServerResponse, events: readonly Json[], path: string): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const lines = events.map((event) => {
    const head = typeof event.type === "string" ? `event: ${event.type}\n` : "";
    return `${head}data: ${JSON.stringify(event)}\n\n`;
  });
  response.end(`${lines.join("")}${path.endsWith("/completions") ? "data: [DONE]\n\n" : ""}`);
}

function send(response: ServerResponse, status: number, value: Json): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}
