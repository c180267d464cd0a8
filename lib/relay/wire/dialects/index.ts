import { aiProxyLibrary } from "./ai-proxy-library";
import { anthropicMessages } from "./anthropic-messages";
import { bedrockConverse } from "./bedrock-converse";
import { bedrockInvoke } from "./bedrock-invoke";
import { cohere } from "./cohere";
import { withCallsDeciding } from "./common/calls/calls-decide";
import { coze } from "./coze";
import { dashscope } from "./dashscope";
import type { Dialect, UpstreamFormat, UpstreamOnly } from "./dialect";
import { dify } from "./dify";
import { ernie } from "./ernie";
import { geminiGenerateContent } from "./gemini-generate-content";
import { hunyuan } from "./hunyuan";
import { ollama } from "./ollama";
import { openaiChat } from "./openai-chat";
import { openaiResponses } from "./openai-responses";
import { spark } from "./spark";
import { workersAi } from "./workers-ai";
import { zhipuV3 } from "./zhipu-v3";

/** All dialects by id. */
export const dialects: ReadonlyMap<string, Dialect> = new Map(
  [openaiChat, openaiResponses, anthropicMessages, geminiGenerateContent].map((dialect: Dialect) => [
    dialect.id,
    { ...dialect, upstream: withCallsDeciding(dialect.upstream) },
  ]),
);

/** Wire formats that only upstreams speak. */
export const upstreamsOnly: ReadonlyMap<string, UpstreamOnly> = new Map(
  [
    aiProxyLibrary,
    coze,
    dify,
    bedrockConverse,
    bedrockInvoke,
    cohere,
    dashscope,
    ernie,
    hunyuan,
    ollama,
    spark,
    workersAi,
    zhipuV3,
  ].map((only: UpstreamOnly) => [only.id, { ...only, upstream: withCallsDeciding(only.upstream) }]),
);

/** What upstreams speak, by id. */
export const upstreamFormats: ReadonlyMap<string, UpstreamFormat> = new Map(
  [...dialects.values(), ...upstreamsOnly.values()].map(({ id, upstream }) => [id, upstream]),
);

/** Used for requests to paths that do not determine a dialect. */
export const defaultDialect: Dialect = dialects.get(openaiChat.id) ?? openaiChat;
