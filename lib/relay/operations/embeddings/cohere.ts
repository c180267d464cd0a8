import { type Json, readArray, readObject, readText } from "../../wire/canonical/json";
import { InvalidRequest } from "../../wire/canonical/wire-error";
import { defined } from "../../wire/dialects/common/defined";
import { readLimit, readModel } from "../../wire/dialects/common/request-fields";
import { cohereCaller, failsWithout, promptUsage, readTextList, renameModel } from "../documents/document-fields";
import type { CallerDocument, UpstreamDocument } from "../documents/document-format";
import { textsBeside } from "../documents/read-content";
import { type EmbeddingRequest, type Embeddings, INPUTS_MAX, type Purpose, textInputs } from "./embedding-request";
import { inEncoding, readVectors } from "./vectors";

const PATH = "/v2/embed";
const DIMENSIONS_MAX = 65_536;

/** Cohere's newer models must be told; most texts are embedded to be searched. */
const INPUT_TYPES: Readonly<Record<Purpose, string>> = {
  query: "search_query",
  document: "search_document",
  classification: "classification",
  clustering: "clustering",
  similarity: "clustering",
};
const PURPOSES: ReadonlyMap<string, Purpose> = new Map<string, Purpose>([
  ["search_query", "query"],
  ["search_document", "document"],
  ["classification", "classification"],
  ["clustering", "clustering"],
]);

const hasAnswer = ({ embeddings }: Json): boolean =>
  Object.values(readObject(embeddings)).some((list) => readArray(list).length > 0);

/** Cohere's POST /v2/embed. */
export const cohereEmbeddings: UpstreamDocument<EmbeddingRequest, Embeddings> = {
  path: PATH,
  encode(request, model) {
    const { dimensions, purpose } = request;
    return defined({
      model,
      texts: textInputs(request),
      input_type: INPUT_TYPES[purpose ?? "document"],
      embedding_types: ["float"],
      output_dimension: dimensions ?? undefined,
    });
  },
  decode: ({ embeddings }, { inputs }) => readVectors(readArray(readObject(embeddings).float), inputs.length),
  readUsage: ({ meta }) => {
    const { input_tokens: tokens, image_tokens: pictures } = readObject(readObject(meta).billed_units);
    return promptUsage(
      typeof pictures === "number" && typeof tokens === "number" ? tokens + pictures : tokens,
      pictures,
    );
  },
  hasAnswer,
  hasFailed: failsWithout(hasAnswer),
};

export const cohereEmbeddingsCaller: CallerDocument<EmbeddingRequest, Embeddings> = {
  format: "cohere",
  paths: [PATH],
  clientDialect: cohereCaller("invalid_embedding_request"),
  read(json) {
    const own = ["inputs", "images"].find((name) => json[name] !== undefined) ?? null;
    const others = readArray(json.embedding_types).some((type) => type !== "float" && type !== "base64");
    return {
      model: readModel(json.model),
      inputs: own === null ? readTextList(json.texts, "texts", INPUTS_MAX) : readOwn(json[own], own),
      dimensions: readLimit(json, "output_dimension", 1, DIMENSIONS_MAX),
      encoding: readArray(json.embedding_types)[0] === "base64" ? "base64" : "float",
      purpose: PURPOSES.get(readText(json.input_type)) ?? null,
      ownField: others ? "embedding_types" : own,
      beside: [{ texts: textsBeside(json, ["texts", own ?? "texts"]), times: 1 }],
    };
  },
  rename: renameModel,
  path: () => PATH,
  scan: { answerKey: '"embeddings"', usageKey: '"meta"' },
  render: (vectors, request, { requestId, usage }) =>
    defined({
      id: requestId,
      embeddings: { [request.encoding]: vectors.map((vector) => inEncoding(vector, request.encoding)) },
      texts: request.inputs,
      meta: defined({
        api_version: { version: "2" },
        billed_units: usage ? { input_tokens: usage.promptTokens } : undefined,
      }),
    }),
};

function readOwn(value: unknown, name: string): readonly Json[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > INPUTS_MAX) {
    throw new InvalidRequest(`${name} must be a list of 1 to ${INPUTS_MAX} inputs`, name);
  }
  return value.map((item) => (typeof item === "string" ? { image: item } : readObject(item)));
}
