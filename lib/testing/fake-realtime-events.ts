import { z } from "zod";

const clientEvent = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("session.update"), event_id: z.string().optional(), session: z.object({}).loose() }),
  z.strictObject({ type: z.literal("input_audio_buffer.append"), event_id: z.string().optional(), audio: z.base64() }),
  z.strictObject({ type: z.literal("input_audio_buffer.commit"), event_id: z.string().optional() }),
  z.strictObject({ type: z.literal("input_audio_buffer.clear"), event_id: z.string().optional() }),
  z.strictObject({
    type: z.literal("conversation.item.create"),
    event_id: z.string().optional(),
    previous_item_id: z.string().nullish(),
    item: z.object({ type: z.string() }).loose(),
  }),
  z.strictObject({ type: z.literal("response.cancel"), event_id: z.string().optional() }),
  z.strictObject({
    type: z.literal("response.create"),
    event_id: z.string().optional(),
    response: z
      .object({ metadata: z.record(z.string(), z.string()).optional() })
      .loose()
      .optional(),
  }),
]);
export type ClientEvent = z.infer<typeof clientEvent>;

/** Null = not an event that OpenAI takes. */
export function readClientEvent(data: Buffer): ClientEvent | null {
  try {
    return clientEvent.parse(JSON.parse(data.toString("utf8")));
  } catch {
    return null;
  }
}
