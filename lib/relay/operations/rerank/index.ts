import { TESTED_MODELS } from "@/lib/provider-catalogue/channel-tests";
import { documentOperation } from "../documents/define-operation";
import type { DocumentKind } from "../documents/document-format";
import { cohereRerank, cohereRerankCaller } from "./cohere";
import { jinaRerank, jinaRerankCaller } from "./jina";
import { type Ranked, type RerankRequest, readings } from "./rerank-request";
import { searchUnits } from "./search-units";

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
