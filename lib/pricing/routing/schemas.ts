import { z } from "zod";
import { channelFields } from "@/lib/channel/schemas";

const INT_MAX = 2_147_483_647;
const CHANNELS_MAX = 10_000;

const id = z.number("parametersInvalid").int("parametersInvalid").positive("parametersInvalid").max(INT_MAX);
const { weight, priority } = channelFields;

const draftChannel = z.object({ id, priority, weight, isEnabled: z.boolean("parametersInvalid") });

/** Channels as they would be; those that are left out stay as they are. */
export const routingDraftSchema = z.object({ channels: z.array(draftChannel).max(CHANNELS_MAX, "parametersInvalid") });
export type RoutingDraft = z.infer<typeof routingDraftSchema>;

/** `seen` is what the draft started from. */
export const applyRoutingSchema = z.object({
  channels: z
    .array(draftChannel.extend({ seen: draftChannel.omit({ id: true }) }))
    .min(1, "routingUnchanged")
    .max(CHANNELS_MAX, "parametersInvalid"),
});
export type ApplyRoutingInput = z.infer<typeof applyRoutingSchema>;
