import { z } from "zod";

/**
 * The request body of Dify's chat messages: ChatRequestPayload of its service API, with the user that every call must name, and
 * its file mappings.
 */
const kind = z.enum(["image", "document", "audio", "video", "custom"]);

const file = z.discriminatedUnion("transfer_method", [
  z.strictObject({ type: kind, transfer_method: z.literal("remote_url"), url: z.url({ protocol: /^https?$/ }) }),
  z.strictObject({ type: kind, transfer_method: z.literal("local_file"), upload_file_id: z.uuid() }),
]);

export const difyRequest = z.strictObject({
  inputs: z.record(z.string(), z.unknown()),
  query: z.string().min(1),
  response_mode: z.enum(["streaming", "blocking"]).optional(),
  user: z.string().min(1),
  conversation_id: z.union([z.uuid(), z.literal("")]).optional(),
  files: z.array(file).optional(),
  auto_generate_name: z.boolean().optional(),
  workflow_id: z.string().optional(),
  trace_id: z.string().optional(),
});
