import { readObject } from "../../wire/canonical/json";
import { readCount } from "../../wire/canonical/usage";
import { defined } from "../../wire/dialects/common/defined";
import { cohereCaller, failsWithout, promptUsage, renameModel } from "../documents/document-fields";
import type { CallerDocument, UpstreamDocument } from "../documents/document-format";
import { hasResults } from "./jina";
import { type Ranked, type RerankRequest, readRanked, readRerank, textOfDocument } from "./rerank-request";

const PATH = "/v2/rerank";

/** Cohere's POST /v2/rerank. It bills searches and reports no tokens. */
export const cohereRerank: UpstreamDocument<RerankRequest, readonly Ranked[]> = {
  path: PATH,
  encode: ({ query, documents, topN, tokensPerDocument }, model) =>
    defined({
      model,
      query,
      documents: documents.map(textOfDocument),
      top_n: topN ?? undefined,
      max_tokens_per_doc: tokensPerDocument ?? undefined,
    }),
  decode: ({ results }, request) => readRanked(results, request),
  readUsage: ({ meta }) => promptUsage(readObject(readObject(meta).billed_units).input_tokens),
  readMeters({ meta }) {
    const units = readCount(readObject(readObject(meta).billed_units).search_units);
    return units ? [{ meter: "search", quantity: units }] : null;
  },
  hasAnswer: hasResults,
  hasFailed: failsWithout(hasResults),
};

export const cohereRerankCaller: CallerDocument<RerankRequest, readonly Ranked[]> = {
  format: "cohere",
  paths: [PATH],
  clientDialect: cohereCaller("invalid_rerank_request"),
  read: (json) => readRerank(json, false),
  rename: renameModel,
  path: () => PATH,
  scan: { answerKey: '"results"', usageKey: '"meta"' },
  render: (ranked, _request, { requestId, usage }) => ({
    id: requestId,
    results: ranked.map(({ index, score }) => ({ index, relevance_score: score })),
    meta: defined({
      api_version: { version: "2" },
      tokens: usage ? { input_tokens: usage.promptTokens } : undefined,
    }),
  }),
};
