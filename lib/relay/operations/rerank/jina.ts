import { type Json, readArray, readObject } from "../../wire/canonical/json";
import { defined } from "../../wire/dialects/common/defined";
import { readFlag } from "../../wire/dialects/common/request-fields";
import { failsWithout, openaiCaller, promptUsage, renameModel } from "../documents/document-fields";
import type { CallerDocument, UpstreamDocument } from "../documents/document-format";
import { type Ranked, type RerankRequest, readRanked, readRerank, textOfDocument } from "./rerank-request";

const PATH = "/v1/rerank";

export const hasResults = ({ results }: Json): boolean => readArray(results).length > 0;

/** Jina's POST /v1/rerank, which SiliconFlow, Xinference and others have too. */
export const jinaRerank: UpstreamDocument<RerankRequest, readonly Ranked[]> = {
  path: PATH,
  encode: ({ query, documents, topN }, model) =>
    defined({ model, query, documents, top_n: topN ?? undefined, return_documents: false }),
  decode: ({ results }, request) => readRanked(results, request),
  // Jina counts in `usage`, SiliconFlow and Xinference in `meta`.
  readUsage({ usage, meta }) {
    const { prompt_tokens: prompt, total_tokens: total } = readObject(usage);
    const { input_tokens: input } = readObject(readObject(meta).tokens);
    return promptUsage(total, prompt, input);
  },
  hasAnswer: hasResults,
  hasFailed: failsWithout(hasResults),
};

/** The common form: documents are repeated only where the caller wants them. */
export const jinaRerankCaller: CallerDocument<RerankRequest, readonly Ranked[]> = {
  format: "jina",
  paths: [PATH],
  clientDialect: openaiCaller("invalid_rerank_request"),
  read: (json) => readRerank(json, readFlag(json, "return_documents") ?? false),
  rename: renameModel,
  path: () => PATH,
  // Some upstreams report their usage in `meta`, others repeat documents as they like: every answer is written anew.
  scan: null,
  render: (ranked, { model, documents, returnsDocuments }, { usage }) =>
    defined({
      model,
      object: "list",
      results: ranked.map(({ index, score }) =>
        defined({
          index,
          relevance_score: score,
          document: returnsDocuments ? { text: textOfDocument(documents[index] ?? "") } : undefined,
        }),
      ),
      usage: usage ? { prompt_tokens: usage.promptTokens, total_tokens: usage.promptTokens } : undefined,
    }),
};
