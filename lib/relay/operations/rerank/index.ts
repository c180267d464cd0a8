import type { MeterUsage } from "@/lib/meters";
import { TESTED_MODELS } from "@/lib/provider-catalogue/channel-tests";
import { documentOperation } from "../documents/define-operation";
import type { DocumentKind } from "../documents/document-format";
import { cohereRerank, cohereRerankCaller } from "./cohere";
import { jinaRerank, jinaRerankCaller } from "./jina";
import { type Ranked, type RerankRequest, readings, textOfDocument } from "./rerank-request";

/** A unit is a query with so many documents, and a longer document counts once for each part (cohere.com/pricing). */
const DOCUMENTS_PER_UNIT = 100;
const TOKENS_PER_PART = 500;
/** Each part is read with the query, of which no more is taken. */
const QUERY_TOKENS_MAX = TOKENS_PER_PART / 2;
/** What is longer is cut off, unless the caller says otherwise. */
const DOCUMENT_TOKENS_MAX = 4_096;

/** What Cohere bills for a request. `tokensOf`: the tokens of a text, which only the model's maker knows exactly. */
function searchUnits(request: RerankRequest, tokensOf: (text: string) => number): readonly MeterUsage[] {
  const { query, documents, tokensPerDocument } = request;
  const room = TOKENS_PER_PART - Math.min(tokensOf(query), QUERY_TOKENS_MAX);
  const most = tokensPerDocument ?? DOCUMENT_TOKENS_MAX;
  const parts = documents.reduce((sum, document) => {
    const tokens = Math.min(tokensOf(textOfDocument(document)), most);
    return sum + Math.max(1, Math.ceil(tokens / room));
  }, 0);
  return [{ meter: "search", quantity: Math.ceil(parts / DOCUMENTS_PER_UNIT) }];
}

const kind: DocumentKind<RerankRequest, readonly Ranked[]> = {
  operation: "rerank",
  formats: new Map([
    ["jina", jinaRerank],
    ["cohere", cohereRerank],
  ]),
  readings,
  meters: searchUnits,
  words: (request) => readings(request).readings.flatMap(({ texts }) => texts),
  test: {
    path: "/v1/rerank",
    models: TESTED_MODELS.rerank,
    answerKey: "results",
    json: () => ({ query: "hello", documents: ["hello world", "something else"] }),
  },
};

/** Documents by their relevance, in the formats of Jina and Cohere. */
export const rerank = documentOperation(kind, [jinaRerankCaller, cohereRerankCaller]);
