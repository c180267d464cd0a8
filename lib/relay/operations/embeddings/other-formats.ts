import { type Json, readArray, readObject } from "../../wire/canonical/json";
import { InvalidRequest } from "../../wire/canonical/wire-error";
import { defined } from "../../wire/dialects/common/defined";
import { failsWithout, promptUsage } from "../documents/document-fields";
import type { UpstreamDocument } from "../documents/document-format";
import { type EmbeddingRequest, type Embeddings, textInputs } from "./embedding-request";
import { openaiEmbeddings } from "./openai";
import { readVectors } from "./vectors";

type Format = UpstreamDocument<EmbeddingRequest, Embeddings>;

const hasEmbeddings = ({ embeddings }: Json): boolean => readArray(embeddings).length > 0;

/** POST /api/embed. */
export const ollamaEmbeddings: Format = {
  path: "/api/embed",
  encode: (request, model) =>
    defined({ model, input: textInputs(request), dimensions: request.dimensions ?? undefined }),
  decode: ({ embeddings }, { inputs }) => readVectors(readArray(embeddings), inputs.length),
  readUsage: ({ prompt_eval_count: count }) => promptUsage(count),
  hasAnswer: hasEmbeddings,
  hasFailed: failsWithout(hasEmbeddings),
};

const listed = ({ output }: Json): readonly unknown[] => readArray(readObject(output).embeddings);
const hasListed = (json: Json): boolean => listed(json).length > 0;

/** The native interface of Alibaba's DashScope, which has more models than the compatible one. */
export const dashscopeEmbeddings: Format = {
  path: "/api/v1/services/embeddings/text-embedding/text-embedding",
  encode(request, model) {
    const { dimensions, purpose } = request;
    const parameters = defined({
      text_type: purpose === "query" || purpose === "document" ? purpose : undefined,
      dimension: dimensions ?? undefined,
    });
    return { model, input: { texts: textInputs(request) }, parameters };
  },
  decode(json, { inputs }) {
    const items = listed(json).map(readObject);
    const inOrder = items.sort((a, b) => Number(a.text_index ?? 0) - Number(b.text_index ?? 0));
    return readVectors(
      inOrder.map(({ embedding }) => embedding),
      inputs.length,
    );
  },
  readUsage: ({ usage }) => promptUsage(readObject(usage).total_tokens),
  hasAnswer: hasListed,
  hasFailed: failsWithout(hasListed),
};

/** Models of Baidu's first platform whose paths are not their names. */
const ERNIE_PATHS: ReadonlyMap<string, string> = new Map([
  ["Embedding-V1", "embedding-v1"],
  ["bge-large-zh", "bge_large_zh"],
  ["bge-large-en", "bge_large_en"],
  ["tao-8k", "tao_8k"],
]);

/** Baidu's first platform: the path names the model, and the answer is OpenAI's. */
export const ernieEmbeddings: Format = {
  ...openaiEmbeddings,
  path: (model) =>
    `/rpc/2.0/ai_custom/v1/wenxinworkshop/embeddings/${encodeURIComponent(ERNIE_PATHS.get(model) ?? model.toLowerCase())}`,
  encode(request) {
    if (request.dimensions !== null) throw new InvalidRequest("the model's upstream has no dimensions", "dimensions");
    return { input: textInputs(request) };
  },
};
