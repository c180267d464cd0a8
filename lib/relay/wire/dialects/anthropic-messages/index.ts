import { type Json, readArray, readObject, readText } from "../../canonical/json";
import type { ObjectReference } from "../../canonical/upstream-object";
import { storedIds } from "../common/stored-ids";
import type { Conversation, Dialect } from "../dialect";
import { blocksOf, blockText } from "./blocks";
import { decodeRequest } from "./decode-request";
import { decodeResponse } from "./decode-response";
import { createStreamDecoder } from "./decode-stream";
import { encodeRequest } from "./encode-request";
import { renderCut, renderError } from "./error";
import { callEdits, readCompletionMax, readFacts, readKey } from "./facts";
import { imageUrls, withImages } from "./images";
import { limits } from "./limits";
import { names } from "./names";
import { options } from "./options";
import { asksForUsage, capEdits, passEdits } from "./pass-edits";
import { passThrough } from "./pass-through";
import { renderResponse } from "./render-response";
import { createStreamRenderer } from "./render-stream";
import { isContinuable, resumeStream } from "./resume-stream";
import { answerTexts, frameTexts, promptTexts, promptWords } from "./texts";
import { readUsage } from "./usage";

/** Anthropic's Messages API. */
export const anthropicMessages: Dialect = {
  id: "anthropic-messages",
  limits,
  client: {
    dialect: "anthropic-messages",
    paths: ["/v1/messages"],
    readKey,
    readFacts,
    names,
    options,
    requestIdHeader: "request-id",
    invalidRequestCode: "invalid_claude_request",
    promptWords,
    promptTexts,
    readConversation,
    references,
    decode: decodeRequest,
    renderError,
    renderResponse,
    streamRenderer: createStreamRenderer,
    keepAlive: 'event: ping\ndata: {"type":"ping"}\n\n',
    renderCut,
    isContinuable,
    resumeStream,
  },
  upstream: {
    path: "/v1/messages",
    forwardedHeaders: ["anthropic-version", "anthropic-beta"],
    readCompletionMax,
    capEdits,
    callEdits,
    passEdits,
    asksForUsage,
    canBeAsked: ["webSearch"],
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

function readConversation(json: Json): Conversation {
  return {
    cacheKey: "",
    user: readText(readObject(json.metadata).user_id),
    opening: () => ({
      instructions: blocksOf(json.system).map(blockText),
      question: blocksOf(readObject(readArray(json.messages)[0]).content).map(blockText),
    }),
  };
}

/** The uploaded files that the request names. Throws InvalidRequest. */
function references(json: Json): readonly ObjectReference[] {
  return storedIds(json, names);
}
