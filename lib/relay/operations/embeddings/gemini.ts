import { type Json, readArray, readObject, readText } from "../../wire/canonical/json";
import { InvalidRequest } from "../../wire/canonical/wire-error";
import { defined } from "../../wire/dialects/common/defined";
import { isGiven } from "../../wire/dialects/common/option-rule";
import { readLimit, readModel } from "../../wire/dialects/common/request-fields";
import type { ClientDialect } from "../../wire/dialects/dialect";
import { geminiGenerateContent } from "../../wire/dialects/gemini-generate-content";
import { field, objectField } from "../../wire/dialects/gemini-generate-content/fields";
import { failsWithout, promptUsage } from "../documents/document-fields";
import type { CallerDocument, UpstreamDocument } from "../documents/document-format";
import { textsBeside } from "../documents/read-content";
import {
  type EmbeddingRequest,
  type Embeddings,
  INPUTS_MAX,
  type Input,
  type Purpose,
  textInputs,
} from "./embedding-request";
import { inEncoding, readVectors } from "./vectors";

const PATH = /^\/(?:v1|v1beta\d*)\/models\/(.+):(embedContent|batchEmbedContents)$/;
const DIMENSIONS_MAX = 65_536;

const TASKS: Readonly<Record<Purpose, string>> = {
  query: "RETRIEVAL_QUERY",
  document: "RETRIEVAL_DOCUMENT",
  classification: "CLASSIFICATION",
  clustering: "CLUSTERING",
  similarity: "SEMANTIC_SIMILARITY",
};
const PURPOSES = new Map(Object.entries(TASKS).map(([purpose, task]) => [task, purpose as Purpose]));

const hasAnswer = ({ embedding, embeddings }: Json): boolean =>
  readArray(embeddings).length > 0 || readArray(readObject(embedding).values).length > 0;

/** Google's embeddings; several texts at once, because one request of the other method has one text. */
export const geminiEmbeddings: UpstreamDocument<EmbeddingRequest, Embeddings> = {
  path: (model) => pathOf(model, "batchEmbedContents"),
  encode(request, model) {
    const { dimensions, purpose } = request;
    const requests = textInputs(request).map((text) =>
      defined({
        model: `models/${model}`,
        content: { parts: [{ text }] },
        taskType: purpose ? TASKS[purpose] : undefined,
        outputDimensionality: dimensions ?? undefined,
      }),
    );
    return { requests };
  },
  decode: ({ embeddings }, { inputs }) =>
    readVectors(
      readArray(embeddings).map((item) => readObject(item).values),
      inputs.length,
    ),
  readUsage: ({ usageMetadata }) => {
    const { promptTokenCount, totalTokenCount } = readObject(usageMetadata);
    return promptUsage(promptTokenCount, totalTokenCount);
  },
  hasAnswer,
  hasFailed: failsWithout(hasAnswer),
};

const { client: google } = geminiGenerateContent;
const { isArrayStream: _, ...whole } = google;
const clientDialect: ClientDialect = {
  ...whole,
  invalidRequestCode: "invalid_embedding_request",
  pathWithModel: (path, model) => pathOf(model, methodOf(path)),
};

/** Google's embedContent and batchEmbedContents. */
export const geminiEmbeddingsCaller: CallerDocument<EmbeddingRequest, Embeddings> = {
  format: "gemini",
  paths: [PATH],
  clientDialect,
  read(json, { path }) {
    const items = methodOf(path) === "embedContent" ? [json] : readArray(json.requests).map(readObject);
    if (items.length === 0 || items.length > INPUTS_MAX) {
      throw new InvalidRequest(`requests must be a list of 1 to ${INPUTS_MAX} requests`, "requests");
    }
    const settings = items.map(settingsOf);
    const [first = {}] = settings;
    const { outputDimensionality, taskType } = first;
    const isUniform = settings.every(
      (one) => one.outputDimensionality === outputDimensionality && one.taskType === taskType,
    );
    return {
      model: readModel(modelOf(path)),
      inputs: items.map(readContent),
      dimensions: readLimit(first, "outputDimensionality", 1, DIMENSIONS_MAX),
      encoding: "float",
      purpose: PURPOSES.get(readText(taskType)) ?? null,
      ownField: isUniform ? (settings.map(ownSetting).find((name) => name !== null) ?? null) : "requests",
      beside: [{ texts: items.flatMap((item) => textsBeside(item, ["content"])), times: 1 }],
      isSingle: methodOf(path) === "embedContent",
    };
  },
  rename: (json, model) => {
    const name = `models/${model}`;
    const requests = readArray(json.requests).map(readObject);
    const isNamed = requests.every((item) => item.model === name);
    return {
      ...(isNamed ? {} : { requests: requests.map((item) => ({ ...item, model: name })) }),
      ...(json.model === undefined || json.model === name ? {} : { model: name }),
    };
  },
  path: ({ path }) => path,
  scan: { answerKey: '"embeddings"', usageKey: '"usageMetadata"' },
  render: (vectors, { isSingle }, { usage }) => {
    const embeddings = vectors.map((vector) => ({ values: inEncoding(vector, "float") }));
    return defined({
      ...(isSingle ? { embedding: embeddings[0] } : { embeddings }),
      usageMetadata: usage ? { promptTokenCount: usage.promptTokens, totalTokenCount: usage.promptTokens } : undefined,
    });
  },
};

/**
 * Newer requests have their settings in an object of their own, which counts before those beside it:
 * https://ai.google.dev/api/embeddings#EmbedContentConfig.
 */
function settingsOf(item: Json): Json {
  const names = ["taskType", "title", "outputDimensionality"];
  const beside = names.flatMap((name) => (isGiven(field(item, name)) ? [[name, field(item, name)]] : []));
  const config = objectField(item, "embedContentConfig");
  const within = Object.entries(config).map(([name, value]) => [
    name.replace(/_(\w)/g, (_, c: string) => c.toUpperCase()),
    value,
  ]);
  return { ...Object.fromEntries(beside), ...Object.fromEntries(within) };
}

/** A setting that no other format has, such as a title; null = none. */
function ownSetting({ taskType: _, outputDimensionality: __, ...rest }: Json): string | null {
  return Object.keys(rest).find((name) => isGiven(rest[name]) && rest[name] !== "") ?? null;
}

type Method = "embedContent" | "batchEmbedContents";

function pathOf(model: string, method: Method): string {
  return `/v1beta/models/${encodeURIComponent(model)}:${method}`;
}

function methodOf(path: string): Method {
  return path.endsWith(":embedContent") ? "embedContent" : "batchEmbedContents";
}

function modelOf(path: string): string {
  const name = PATH.exec(path)?.[1] ?? "";
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** The parts of one content are embedded together. */
function readContent(item: Json): Input {
  const content = readObject(item.content);
  const parts = readArray(content.parts).map(readObject);
  if (parts.length === 0) throw new InvalidRequest("content must have parts", "content");
  if (parts.every(({ text }) => typeof text === "string")) return parts.map(({ text }) => readText(text)).join("\n");
  return content;
}
