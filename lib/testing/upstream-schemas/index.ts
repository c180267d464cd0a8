import type { z } from "zod";
import { messagesRequest } from "../fake-anthropic-schema";
import { generateContentRequest } from "../strict-upstream/gemini";
import { chatRequest } from "../strict-upstream/openai-chat";
import { aiProxyLibraryRequest } from "./ai-proxy-library";
import { converseRequest } from "./bedrock-converse";
import { invokeRequest } from "./bedrock-invoke";
import { cohereSchema } from "./cohere";
import { cozeRequest } from "./coze";
import { dashscopeRequest } from "./dashscope";
import { difyRequest } from "./dify";
import { ernieRequest } from "./ernie";
import { hunyuanRequest } from "./hunyuan";
import { ollamaSchema } from "./ollama";
import { responsesRequest } from "./openai-responses";
import { sparkRequest } from "./spark";
import { workersAiSchema } from "./workers-ai";
import { zhipuV3Request } from "./zhipu-v3";

/** The requests that upstreams accept, by wire format, as strict as their providers publish them. */
export const upstreamSchemas: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>([
  ["anthropic-messages", messagesRequest],
  ["bedrock-converse", converseRequest],
  ["bedrock-invoke", invokeRequest],
  ["cohere", cohereSchema],
  ["dashscope", dashscopeRequest],
  ["dify", difyRequest],
  ["coze", cozeRequest],
  ["ai-proxy-library", aiProxyLibraryRequest],
  ["ernie", ernieRequest],
  ["gemini-generate-content", generateContentRequest],
  ["hunyuan", hunyuanRequest],
  ["ollama", ollamaSchema],
  ["openai-chat", chatRequest],
  ["openai-responses", responsesRequest],
  ["spark", sparkRequest],
  ["workers-ai", workersAiSchema],
  ["zhipu-v3", zhipuV3Request],
]);
