import { chat } from "./operations/chat";
import { completions } from "./operations/completions";
import { embeddings } from "./operations/embeddings";
import { moderations } from "./operations/moderations";
import type { Operation } from "./operations/operation";
import { rerank } from "./operations/rerank";
import type { UpstreamRow } from "./upstreams/channel-type";

/** What a channel test asks a model, without the model's name. */
export type TestRequest = { operation: Operation; path: string; json: object };

type Served = Pick<UpstreamRow, "serves" | "test">;

const RERANKERS = /rerank/i;
const MODERATORS = /moderation/i;
const EMBEDDERS = /embed|^m3e|bge-|^tao-8k/i;
/** Models that have no conversations. */
const COMPLETERS = /^(gpt-3\.5-turbo-instruct|davinci-002|babbage-002)/;

/** Asks for what the model is for, as far as its name and the channel's type tell. */
export function testRequest(row: Served | undefined, model: string): TestRequest {
  const { serves = {}, test } = row ?? {};
  if (serves.rerank && RERANKERS.test(model)) {
    const json = { query: "hello", documents: ["hello world", "something else"] };
    return { operation: rerank, path: "/v1/rerank", json };
  }
  if (serves.moderations && MODERATORS.test(model)) {
    return { operation: moderations, path: "/v1/moderations", json: { input: "hello world" } };
  }
  if (test === "embeddings" || (serves.embeddings && EMBEDDERS.test(model))) {
    return { operation: embeddings, path: "/v1/embeddings", json: { input: ["hello world"] } };
  }
  if (serves.completions && COMPLETERS.test(model)) {
    return { operation: completions, path: "/v1/completions", json: { prompt: "hi", max_tokens: 10 } };
  }
  return { operation: chat, path: "/v1/chat/completions", json: chatTest(model) };
}

function chatTest(model: string): object {
  const isReasoning = /^(o\d|gpt-5)/.test(model);
  const isThinking = model.includes("thinking") && !model.includes("claude");
  const limit = isThinking ? 50 : model.includes("gemini") ? 300 : 10;
  return {
    messages: [{ role: "user", content: "hi" }],
    ...(isReasoning ? { max_completion_tokens: limit } : { max_tokens: limit }),
  };
}
