import { skipSpace } from "../../base/json-splice";
import { type Json, readArray, readObject, readText } from "../../wire/canonical/json";
import type { Usage } from "../../wire/canonical/usage";
import { InvalidRequest } from "../../wire/canonical/wire-error";
import { defined } from "../../wire/dialects/common/defined";
import { parseJsonObject } from "../../wire/dialects/common/json-text";
import { readOpenaiUsage } from "../../wire/dialects/common/openai/openai-usage";
import { readLimit, readModel } from "../../wire/dialects/common/request-fields";
import { failsWithout, openaiCaller, promptUsage, renameModel } from "../documents/document-fields";
import type { CallerDocument, DocumentContext, UpstreamDocument } from "../documents/document-format";
import { textsBeside } from "../documents/read-content";
import {
  type EmbeddingRequest,
  type Embeddings,
  INPUTS_MAX,
  type Input,
  isTokens,
  type Purpose,
  textInputs,
} from "./embedding-request";
import { inEncoding, readVectors } from "./vectors";

const DIMENSIONS_MAX = 65_536;
const ENGINE_PATH = /^\/v1\/engines\/(.+)\/embeddings$/;
const PATH = "/v1/embeddings";

const hasAnswer = ({ data }: Json): boolean => readArray(data).length > 0;

/** OpenAI's embeddings, which most upstreams have. */
export const openaiEmbeddings: UpstreamDocument<EmbeddingRequest, Embeddings> = {
  path: PATH,
  encode: (request, model) =>
    defined({ model, input: textInputs(request), dimensions: request.dimensions ?? undefined }),
  decode: ({ data }, { inputs }) => {
    const items = readArray(data).map(readObject);
    const inOrder = items.every(({ index }) => typeof index === "number")
      ? items.sort((a, b) => Number(a.index) - Number(b.index))
      : items;
    return readVectors(
      inOrder.map(({ embedding }) => embedding),
      inputs.length,
    );
  },
  readUsage: readEmbeddingUsage,
  hasAnswer,
  hasFailed: failsWithout(hasAnswer),
};

/** Nothing is written: what is counted was read, under whatever name. */
export function readEmbeddingUsage({ usage }: Json): Usage | null {
  return promptUsage(readOpenaiUsage(usage)?.promptTokens, readObject(usage).total_tokens);
}

export const openaiEmbeddingsCaller: CallerDocument<EmbeddingRequest, Embeddings> = {
  format: "openai",
  paths: [PATH, ENGINE_PATH],
  clientDialect: openaiCaller("invalid_embedding_request"),
  read(json, { path }) {
    const inputs = readInputs(json.input);
    return {
      model: readModel(modelOfPath(path) ?? json.model),
      inputs,
      dimensions: readLimit(json, "dimensions", 1, DIMENSIONS_MAX),
      encoding: readEncoding(json.encoding_format),
      purpose: PURPOSES.get(readText(json.task) || readText(json.input_type)) ?? null,
      ownField: null,
      // An instruction stands before each input.
      beside: [{ texts: textsBeside(json, ["input"]), times: inputs.length }],
    };
  },
  rename: renameModel,
  path: () => PATH,
  scan: { answerKey: '"data"', usageKey: '"usage"' },
  adapt: (body, { encoding }) => (encoding === "base64" ? encoded(body) : body),
  render,
};

/** What Jina and others add to OpenAI's format. */
const PURPOSES: ReadonlyMap<string, Purpose> = new Map<string, Purpose>([
  ["retrieval.query", "query"],
  ["retrieval.passage", "document"],
  ["text-matching", "similarity"],
  ["classification", "classification"],
  ["separation", "clustering"],
  ["query", "query"],
  ["passage", "document"],
  ["document", "document"],
]);

/** The older interface names the model in the path. */
function modelOfPath(path: string): string | undefined {
  const name = ENGINE_PATH.exec(path)?.[1];
  if (name === undefined) return undefined;
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function readEncoding(value: unknown): "float" | "base64" {
  if (value === undefined || value === null || value === "float") return "float";
  if (value === "base64") return "base64";
  throw new InvalidRequest("encoding_format must be float or base64", "encoding_format");
}

/** A text, tokens, or a list of such inputs. */
function readInputs(input: unknown): readonly Input[] {
  if (typeof input === "string" || isTokens(input)) return [checked(input)];
  if (!Array.isArray(input) || input.length === 0 || input.length > INPUTS_MAX) {
    throw new InvalidRequest(`input must be a text, tokens, or a list of at most ${INPUTS_MAX} of them`, "input");
  }
  return input.map(checked);
}

function checked(input: unknown): Input {
  if (typeof input === "string" && input !== "") return input;
  if (isTokens(input)) return input;
  const object = readObject(input);
  if (object === input && Object.keys(object).length > 0) return object;
  throw new InvalidRequest("every input must be a text that is not empty, or a list of tokens", "input");
}

function render(vectors: Embeddings, { model, encoding }: EmbeddingRequest, { usage }: DocumentContext): Json {
  return defined({
    object: "list",
    data: vectors.map((vector, index) => ({ object: "embedding", index, embedding: inEncoding(vector, encoding) })),
    model,
    usage: usage ? { prompt_tokens: usage.promptTokens, total_tokens: usage.promptTokens } : undefined,
  });
}

const EMBEDDING_KEY = '"embedding"';
const OPEN_BRACKET = 0x5b;

/** Clients that ask for base64 read nothing else; some upstreams send numbers all the same. */
function encoded(body: Buffer): Buffer {
  if (!hasNumbers(body)) return body;
  const json = parseJsonObject(body.toString("utf8"));
  if (!json) return body;
  const data = readArray(json.data).map((item) => {
    const { embedding, ...rest } = readObject(item);
    return { ...rest, embedding: Array.isArray(embedding) ? inEncoding(embedding, "base64") : embedding };
  });
  return Buffer.from(JSON.stringify({ ...json, data }));
}

/** Whether a vector is a list. "embedding" is also what each item is called. */
function hasNumbers(body: Buffer): boolean {
  for (let at = body.indexOf(EMBEDDING_KEY); at !== -1; at = body.indexOf(EMBEDDING_KEY, at + 1)) {
    const colon = skipSpace(body, at + EMBEDDING_KEY.length);
    if (body[colon] === 0x3a) return body[skipSpace(body, colon + 1)] === OPEN_BRACKET;
  }
  return false;
}
