import { z } from "zod";
import { findFault, messagesRequest } from "../fake-anthropic-schema";

/**
 * "invalid beta flag" answers every other one: https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages-request-response.html,
 * https://github.com/BerriAI/litellm/blob/main/litellm/anthropic_beta_headers_config.json
 */
const BETAS = [
  ...["compact-2026-01-12", "computer-use-2025-01-24", "computer-use-2025-11-24", "context-1m-2025-08-07"],
  ...["context-management-2025-06-27", "effort-2025-11-24", "fine-grained-tool-streaming-2025-05-14"],
  ...["interleaved-thinking-2025-05-14", "tool-search-tool-2025-10-19"],
];

/** Anthropic's request without what the path says, and with the version in the body; Bedrock fetches nothing. */
export const invokeRequest = messagesRequest
  .omit({ model: true, stream: true, metadata: true, service_tier: true })
  .extend({
    anthropic_version: z.literal("bedrock-2023-05-31"),
    anthropic_beta: z.array(z.enum(BETAS as [string, ...string[]])).optional(),
  })
  .superRefine(({ anthropic_version: _, anthropic_beta: __, ...body }, context) => {
    const fault = findFault({ model: "claude", ...body }, () => true) ?? (fetches(body) ? "URL sources" : null);
    if (fault !== null) context.addIssue({ code: "custom", message: fault });
  });

function fetches(body: unknown): boolean {
  return /"type":"(?:url|file)"/.test(JSON.stringify(body));
}
