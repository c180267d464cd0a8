import type { z } from "zod";
import { converseRequest } from "./bedrock-converse";
import { invokeRequest } from "./bedrock-invoke";
import { sparkRequest } from "./spark";
import { zhipuV3Request } from "./zhipu-v3";

/** The requests that upstreams accept, by wire format, as strict as their providers publish them. */
export const upstreamSchemas: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>([
  ["bedrock-converse", converseRequest],
  ["bedrock-invoke", invokeRequest],
  ["spark", sparkRequest],
  ["zhipu-v3", zhipuV3Request],
]);
