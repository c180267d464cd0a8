import type { z } from "zod";
import { converseRequest } from "./bedrock-converse";
import { invokeRequest } from "./bedrock-invoke";
import { cohereSchema } from "./cohere";
import { dashscopeRequest } from "./dashscope";
import { ernieRequest } from "./ernie";
import { hunyuanRequest } from "./hunyuan";
import { ollamaSchema } from "./ollama";
import { workersAiSchema } from "./workers-ai";

/** The requests that upstreams accept, by wire format, as strict as their providers publish them. */
export const upstreamSchemas: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>([
  ["bedrock-converse", converseRequest],
  ["bedrock-invoke", invokeRequest],
  ["cohere", cohereSchema],
  ["dashscope", dashscopeRequest],
  ["ernie", ernieRequest],
  ["hunyuan", hunyuanRequest],
  ["ollama", ollamaSchema],
  ["workers-ai", workersAiSchema],
]);
