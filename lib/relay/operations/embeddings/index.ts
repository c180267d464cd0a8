import { TESTED_MODELS } from "@/lib/provider-catalogue/channel-tests";
import { documentOperation } from "../documents/define-operation";
import type { DocumentKind } from "../documents/document-format";
import { cohereEmbeddings, cohereEmbeddingsCaller } from "./cohere";
import { answerBytes, type EmbeddingRequest, type Embeddings, readings, wordsOf } from "./embedding-request";
import { geminiEmbeddings, geminiEmbeddingsCaller } from "./gemini";
import { openaiEmbeddings, openaiEmbeddingsCaller } from "./openai";
import { dashscopeEmbeddings, ernieEmbeddings, ollamaEmbeddings } from "./other-formats";

const kind: DocumentKind<EmbeddingRequest, Embeddings> = {
  operation: "embeddings",
  formats: new Map([
    ["openai", openaiEmbeddings],
    ["gemini", geminiEmbeddings],
    ["cohere", cohereEmbeddings],
    ["ollama", ollamaEmbeddings],
    ["dashscope", dashscopeEmbeddings],
    ["ernie", ernieEmbeddings],
  ]),
  readings,
  answerBytes,
  words: wordsOf,
  test: {
    path: "/v1/embeddings",
    models: TESTED_MODELS.embeddings,
    answerKey: "data",
    json: () => ({ input: ["hello world"] }),
  },
};

/** Texts as vectors, in the formats of OpenAI, Google and Cohere. */
export const embeddings = documentOperation(kind, [
  openaiEmbeddingsCaller,
  geminiEmbeddingsCaller,
  cohereEmbeddingsCaller,
]);
