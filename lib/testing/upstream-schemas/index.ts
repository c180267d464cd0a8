import type { z } from "zod";
import { converseRequest } from "./bedrock-converse";
import { invokeRequest } from "./bedrock-invoke";
import { dashscopeRequest } from "./dashscope";
import { ernieRequest } from "./ernie";
import { hunyuanRequest } from "./hunyuan";

/** The requests that upstreams accept, by wire format, as strict as their providers publish them. */
export const upstreamSchemas: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>([
  ["bedrock-converse", converseRequest],
  ["bedrock-invoke", invokeRequest],
  ["dashscope", dashscopeRequest],
  ["ernie", ernieRequest],
  ["hunyuan", hunyuanRequest],
]);
