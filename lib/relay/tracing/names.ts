import type { OperationId } from "@/lib/operations";
import { channelTypes } from "@/lib/provider-catalogue";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";

/** Well-known values of gen_ai.operation.name; other operations have their own name. */
const OPERATIONS: Partial<Record<OperationId, string>> = {
  completions: "text_completion",
};

export function operationName(operation: OperationId): string {
  return OPERATIONS[operation] ?? operation;
}

/** Well-known values of gen_ai.provider.name (OpenTelemetry's semantic conventions for GenAI). */
const PROVIDERS: ReadonlyMap<number, string> = new Map([
  [CHANNEL_TYPE.openai, "openai"],
  [CHANNEL_TYPE.azure, "azure.ai.openai"],
  [CHANNEL_TYPE.anthropic, "anthropic"],
  [CHANNEL_TYPE.gemini, "gcp.gemini"],
  [CHANNEL_TYPE.vertex, "gcp.vertex_ai"],
  [CHANNEL_TYPE.bedrock, "aws.bedrock"],
  [CHANNEL_TYPE.cohere, "cohere"],
  [CHANNEL_TYPE.mistral, "mistral_ai"],
  [CHANNEL_TYPE.deepseek, "deepseek"],
  [CHANNEL_TYPE.perplexity, "perplexity"],
  [CHANNEL_TYPE.xai, "x_ai"],
  [CHANNEL_TYPE.moonshot, "moonshot_ai"],
]);

export function providerName(channelType: number): string {
  return PROVIDERS.get(channelType) ?? channelTypes.get(channelType)?.name.en.toLowerCase() ?? "custom";
}
