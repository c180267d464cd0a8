import { z } from "zod";

type Body = Record<string, unknown>;

/** One provider's endpoint. */
export type Route = {
  path: RegExp;
  /** How the key is sent. Default: as a bearer token. */
  key?: "bearer" | "google" | "baidu" | "azure";
  body: z.ZodType;
  /** A document, or the events of a stream. */
  answer: (body: Body) => object | readonly unknown[];
  /** A document without anything in it. */
  empty?: object;
};

const name = z.string().min(1);
const texts = z.array(name).min(1);
const tokens = z.array(z.int().nonnegative()).min(1);
const dimensions = z.int().positive().optional();

/** Tells texts and places apart: the length of the text, and its position. */
function vectorOf(input: unknown, at: number, length = 3): number[] {
  const size = typeof input === "string" || Array.isArray(input) ? input.length : 1;
  return [size, at, 0.5, ...Array.from({ length: Math.max(0, length - 3) }, () => 0.25)].slice(0, length);
}

const listOf = (input: unknown): unknown[] =>
  Array.isArray(input) && !input.every((item) => typeof item === "number") ? input : [input];
const lengthOf = (given: unknown): number | undefined => (typeof given === "number" ? given : undefined);
const base64 = (vector: number[]): string => Buffer.from(new Float32Array(vector).buffer).toString("base64");

/** Seven tokens for each input. `reversed`: the items come in another order than the inputs. */
const openaiAnswer =
  ({ isReversed = false, keepsNumbers = false } = {}) =>
  (body: Body) => {
    const inputs = listOf(body.input);
    const data = inputs.map((input, index) => {
      const vector = vectorOf(input, index, lengthOf(body.dimensions ?? body.output_dimension));
      const isText = body.encoding_format === "base64" && !keepsNumbers;
      return { object: "embedding", index, embedding: isText ? base64(vector) : vector };
    });
    const count = 7 * inputs.length;
    return {
      object: "list",
      data: isReversed ? data.reverse() : data,
      model: body.model,
      usage: { prompt_tokens: count, total_tokens: count },
    };
  };

const openaiBody = z.strictObject({
  model: name,
  input: z.union([name, texts, tokens, z.array(tokens)]),
  encoding_format: z.enum(["float", "base64"]).optional(),
  dimensions,
  user: z.string().optional(),
});
const plainBody = z.strictObject({ model: name, input: texts, dimensions });
const content = z.strictObject({ parts: z.array(z.strictObject({ text: name })).min(1), role: z.string().optional() });
const task = z.enum(["RETRIEVAL_QUERY", "RETRIEVAL_DOCUMENT", "SEMANTIC_SIMILARITY", "CLASSIFICATION", "CLUSTERING"]);
const oneContent = {
  content,
  taskType: task.optional(),
  title: z.string().optional(),
  outputDimensionality: dimensions,
};

const geminiVector = (item: unknown, at: number) => {
  const { content: given, outputDimensionality } = item as { content: { parts: { text: string }[] } } & Body;
  return { values: vectorOf(given.parts.map(({ text }) => text).join("\n"), at, lengthOf(outputDimensionality)) };
};

const embeddingRoutes: Route[] = [
  { path: /^\/openai\/v1\/embeddings$/, body: openaiBody, answer: openaiAnswer(), empty: { object: "list", data: [] } },
  {
    path: /^\/azure\/openai\/deployments\/[^/]+\/embeddings\?api-version=[\w-]+$/,
    key: "azure",
    body: openaiBody,
    answer: openaiAnswer(),
  },
  { path: /^\/numbers\/v1\/embeddings$/, body: openaiBody, answer: openaiAnswer({ keepsNumbers: true }) },
  { path: /^\/jina\/v1\/embeddings$/, body: plainBody.extend({ task: name.optional() }), answer: openaiAnswer() },
  { path: /^\/moka\/embeddings$/, body: plainBody, answer: openaiAnswer() },
  { path: /^\/cloudflare\/client\/v4\/accounts\/acc\/ai\/v1\/embeddings$/, body: plainBody, answer: openaiAnswer() },
  {
    path: /^\/mistral\/v1\/embeddings$/,
    body: z.strictObject({ model: name, input: texts, output_dimension: dimensions }),
    answer: openaiAnswer({ isReversed: true }),
  },
  {
    path: /^\/ollama\/api\/embed$/,
    body: z.strictObject({ model: name, input: texts, dimensions }),
    answer: (body) => ({
      model: body.model,
      embeddings: listOf(body.input).map((input, at) => vectorOf(input, at, lengthOf(body.dimensions))),
      total_duration: 1,
      prompt_eval_count: 7 * listOf(body.input).length,
    }),
    empty: { embeddings: [] },
  },
  {
    path: /^\/gemini\/v1beta\/models\/[^/]+:batchEmbedContents$/,
    key: "google",
    body: z.strictObject({
      requests: z.array(z.strictObject({ model: z.string().startsWith("models/"), ...oneContent })).min(1),
    }),
    answer: (body) => ({ embeddings: (body.requests as unknown[]).map(geminiVector) }),
    empty: { embeddings: [] },
  },
  {
    path: /^\/gemini\/v1beta\/models\/[^/]+:embedContent$/,
    key: "google",
    body: z.strictObject({ model: z.string().startsWith("models/").optional(), ...oneContent }),
    answer: (body) => ({
      embedding: geminiVector(body, 0),
      usageMetadata: { promptTokenCount: 7, totalTokenCount: 7 },
    }),
  },
  {
    path: /^\/cohere\/v2\/embed$/,
    body: z.strictObject({
      model: name,
      texts,
      input_type: z.enum(["search_document", "search_query", "classification", "clustering", "image"]),
      embedding_types: z.array(z.enum(["float", "int8", "uint8", "binary", "ubinary", "base64"])).min(1),
      output_dimension: dimensions,
    }),
    answer: (body) => ({
      id: "embed-1",
      embeddings: {
        float: listOf(body.texts).map((input, at) => vectorOf(input, at, lengthOf(body.output_dimension))),
      },
      texts: body.texts,
      meta: { api_version: { version: "2" }, billed_units: { input_tokens: 7 * listOf(body.texts).length } },
    }),
    empty: { id: "embed-1", embeddings: { float: [] } },
  },
  {
    path: /^\/dashscope\/api\/v1\/services\/embeddings\/text-embedding\/text-embedding$/,
    body: z.strictObject({
      model: name,
      input: z.strictObject({ texts }),
      parameters: z.strictObject({ text_type: z.enum(["query", "document"]).optional(), dimension: dimensions }),
    }),
    answer: (body) => {
      const { texts: given } = body.input as { texts: string[] };
      const { dimension } = body.parameters as Body;
      const found = given.map((text, at) => ({ text_index: at, embedding: vectorOf(text, at, lengthOf(dimension)) }));
      return {
        output: { embeddings: found.reverse() },
        usage: { total_tokens: 7 * given.length },
        request_id: "request-1",
      };
    },
    empty: { output: { embeddings: [] } },
  },
  {
    path: /^\/ernie\/rpc\/2\.0\/ai_custom\/v1\/wenxinworkshop\/embeddings\/(embedding-v1|bge_large_zh|tao_8k)\?/,
    key: "baidu",
    body: z.strictObject({ input: texts, user_id: z.string().optional() }),
    answer: openaiAnswer(),
  },
];

const document = z.union([name, z.strictObject({ text: name })]);
const rerankBody = z.strictObject({
  model: name,
  query: name,
  documents: z.array(document).min(1),
  top_n: z.int().positive().optional(),
  return_documents: z.boolean().optional(),
});

/** The longest document first. */
function ranked(body: Body): { index: number; relevance_score: number }[] {
  const sizes = (body.documents as unknown[]).map((item, index) => ({ index, size: JSON.stringify(item).length }));
  const inOrder = sizes.sort((a, b) => b.size - a.size).slice(0, lengthOf(body.top_n) ?? sizes.length);
  return inOrder.map(({ index, size }) => ({ index, relevance_score: size / 1_000 }));
}

/** What the model's name ends in: searches beyond belief, or none reported. */
function searchUnits({ model, documents }: Record<string, unknown>): object {
  if (String(model).endsWith("-uncounted")) return {};
  return { search_units: String(model).endsWith("-boasting") ? 1_000 : Math.ceil(listOf(documents).length / 100) };
}

const rerankRoutes: Route[] = [
  {
    path: /^\/jina\/v1\/rerank$/,
    body: rerankBody,
    answer: (body) => ({ model: body.model, object: "list", usage: { total_tokens: 21 }, results: ranked(body) }),
    empty: { results: [] },
  },
  {
    path: /^\/siliconflow\/v1\/rerank$/,
    body: rerankBody,
    answer: (body) => ({
      id: "rerank-1",
      results: ranked(body),
      meta: { billed_units: { input_tokens: 21 }, tokens: { input_tokens: 21, output_tokens: 0 } },
    }),
  },
  {
    path: /^\/xinference\/v1\/rerank$/,
    body: rerankBody,
    // It repeats no document, and counts nothing.
    answer: (body) => ({
      id: "rerank-1",
      results: ranked(body).map((item) => ({ ...item, document: null })),
      meta: null,
    }),
  },
  {
    path: /^\/cohere\/v2\/rerank$/,
    body: z.strictObject({
      model: name,
      query: name,
      documents: texts,
      top_n: z.int().positive().optional(),
      max_tokens_per_doc: z.int().positive().optional(),
    }),
    answer: (body) => ({
      id: "rerank-1",
      results: ranked(body),
      meta: { api_version: { version: "2" }, billed_units: searchUnits(body) },
    }),
    empty: { id: "rerank-1", results: [] },
  },
];

const picture = z.strictObject({ type: z.literal("image_url"), image_url: z.strictObject({ url: name }) });
const part = z.union([z.strictObject({ type: z.literal("text"), text: name }), picture]);

const moderationRoutes: Route[] = [
  {
    path: /^\/openai\/v1\/moderations$/,
    body: z.strictObject({ model: name, input: z.union([name, texts, z.array(part)]) }),
    answer: (body) => ({
      id: "modr-1",
      model: body.model,
      results: [{ flagged: false, categories: { violence: false }, category_scores: { violence: 0.01 } }],
    }),
    empty: { id: "modr-1", results: [] },
  },
];

const completionBody = z.strictObject({
  model: name,
  prompt: z.union([name, texts, tokens, z.array(tokens)]),
  max_tokens: z.int().nonnegative().optional(),
  max_completion_tokens: z.int().positive().optional(),
  stream: z.boolean().optional(),
  stream_options: z.strictObject({ include_usage: z.boolean() }).optional(),
  n: z.int().optional(),
  best_of: z.int().optional(),
  suffix: z.string().optional(),
  stop: z.union([name, texts]).optional(),
  echo: z.boolean().optional(),
});
const WORDS = [" a", " river", " runs", "."];

function completionAnswer(body: Body): object | unknown[] {
  const head = { id: "cmpl-1", object: "text_completion", created: 1_700_000_000, model: body.model };
  const choice = (text: string, reason: string | null) => ({ text, index: 0, logprobs: null, finish_reason: reason });
  const usage = { prompt_tokens: 5, completion_tokens: 4, total_tokens: 9 };
  if (body.echo === true && body.max_tokens === 0) {
    return { ...head, choices: [choice(String(body.prompt), "length")], usage: { ...usage, completion_tokens: 0, total_tokens: 5 } };
  }
  if (body.stream !== true) return { ...head, choices: [choice(WORDS.join(""), "stop")], usage };
  const { include_usage: wanted } = (body.stream_options ?? {}) as Body;
  return [
    ...WORDS.map((text) => ({ ...head, choices: [choice(text, null)] })),
    { ...head, choices: [choice("", "stop")] },
    ...(wanted ? [{ ...head, choices: [], usage }] : []),
    "[DONE]",
  ];
}

const completionRoutes: Route[] = [
  { path: /^\/openai\/v1\/completions$/, body: completionBody, answer: completionAnswer, empty: { choices: [] } },
  { path: /^\/deepseek\/beta\/completions$/, body: completionBody, answer: completionAnswer },
  {
    path: /^\/cloudflare\/client\/v4\/accounts\/acc\/ai\/run\/.+$/,
    body: z.strictObject({
      prompt: name,
      max_tokens: z.int().positive().optional(),
      stream: z.boolean().optional(),
      temperature: z.number().optional(),
    }),
    answer: (body) => {
      const usage = { prompt_tokens: 5, completion_tokens: 4, total_tokens: 9 };
      if (body.stream === true) return [...WORDS.map((response) => ({ response })), { response: "", usage }, "[DONE]"];
      return { result: { response: WORDS.join(""), usage }, success: true, errors: [], messages: [] };
    },
  },
];

export const DOCUMENT_ROUTES: readonly Route[] = [
  ...embeddingRoutes,
  ...rerankRoutes,
  ...moderationRoutes,
  ...completionRoutes,
];
