import { type Json, readText } from "../../canonical/json";
import { wordsOf } from "../common/error-words";
import type { Conversation, Dialect, Opening } from "../dialect";
import { readKey } from "../openai-chat/key";
import { decodeRequest } from "./decode-request";
import { decodeResponse } from "./decode-response";
import { createStreamDecoder } from "./decode-stream";
import { encodeRequest } from "./encode-request";
import { answerIdIn, renderCut, renderError } from "./error";
import { readCompletionMax, readFacts } from "./facts";
import { imageUrls, withImages } from "./images";
import { itemParts, itemsOf, partText, typeOf } from "./items";
import { limits } from "./limits";
import { names } from "./names";
import { options } from "./options";
import { asksForUsage, callEdits, capEdits, passEdits } from "./pass-edits";
import { passThrough } from "./pass-through";
import { renderResponse } from "./render-response";
import { createStreamRenderer } from "./render-stream";
import { isContinuable, resumeStream } from "./resume-stream";
import { asksToStore, references } from "./stored";
import { answerTexts, frameTexts, promptTexts, promptWords } from "./texts";
import { readUsage } from "./usage";

/** OpenAI's Responses API, with the whole conversation in each request. */
export const openaiResponses: Dialect = {
  id: "openai-responses",
  limits,
  client: {
    dialect: "openai-responses",
    paths: ["/v1/responses"],
    readKey,
    readFacts,
    names,
    options,
    fallbacksField: "models",
    requestIdHeader: "x-request-id",
    invalidRequestCode: "invalid_responses_request",
    promptWords,
    promptTexts,
    readConversation,
    references,
    asksToStore,
    decode: decodeRequest,
    renderError,
    statusFor: (status) => wordsOf(status).openaiStatus ?? status,
    renderResponse,
    streamRenderer: createStreamRenderer,
    keepAlive: ": waiting\n\n",
    renderCut,
    answerIdIn,
    isContinuable,
    resumeStream,
  },
  upstream: {
    path: "/v1/responses",
    forwardedHeaders: [],
    readCompletionMax,
    capEdits,
    callEdits,
    passEdits,
    asksForUsage,
    canBeAsked: ["webSearch", "logprobs"],
    encode: encodeRequest,
    decode: decodeResponse,
    streamDecoder: createStreamDecoder,
    readUsage,
    wholeBody: passThrough,
    passThrough,
    answerTexts,
    frameTexts,
    imageUrls,
    withImages,
  },
};

/** Instructions stand at the beginning; what comes later is not looked at. */
const INSTRUCTIONS_MAX = 8;

function readConversation(json: Json): Conversation {
  return {
    cacheKey: readText(json.prompt_cache_key),
    user: readText(json.safety_identifier) || readText(json.user),
    opening: () => readOpening(json),
  };
}

function readOpening(json: Json): Opening {
  const instructions = readText(json.instructions) === "" ? [] : [readText(json.instructions)];
  for (const item of itemsOf(json).slice(0, INSTRUCTIONS_MAX)) {
    if (typeOf(item) !== "message") continue;
    const texts = itemParts(item).map(partText);
    if (item.role === "user") return { instructions, question: texts };
    instructions.push(...texts);
  }
  return { instructions, question: [] };
}
