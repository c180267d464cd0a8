import { z } from "zod";
import { findFault, messagesRequest } from "../fake-anthropic-schema";

/** Anthropic's request without what the path says, and with the version in the body; Bedrock fetches nothing. */
export const invokeRequest = messagesRequest
  .omit({ model: true, stream: true, metadata: true, service_tier: true })
  .extend({
    anthropic_version: z.literal("bedrock-2023-05-31"),
    anthropic_beta: z.array(z.string()).optional(),
  })
  .superRefine(({ anthropic_version: _, anthropic_beta: __, ...body }, context) => {
    const fault = findFault({ model: "claude", ...body }, () => true) ?? (fetches(body) ? "URL sources" : null);
    if (fault !== null) context.addIssue({ code: "custom", message: fault });
  });

function fetches(body: unknown): boolean {
  return /"type":"(?:url|file)"/.test(JSON.stringify(body));
}
