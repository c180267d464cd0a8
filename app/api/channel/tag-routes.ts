import { z } from "zod";
import { deleteChannels } from "@/lib/channel/commands";
import { setTagStatus, tagChannels, updateTag } from "@/lib/channel/tag-commands";
import { fromWireChannel, wireChannelSchema } from "@/lib/channel/wire";
import { idField } from "@/lib/http/id";
import { channelRow } from "@/lib/http/openapi/channel-rows";
import { defined } from "@/lib/http/query";
import { route } from "@/lib/http/route";
import { CHANNEL_STATUS } from "@/lib/row-status";

const ids = z.array(idField).max(10_000);
const tag = z.object({ tag: z.string("channelTagMissing") });

/** Changes of many channels, by id or by tag. */
export const tagRoutes = [
  route({
    method: "POST",
    path: "/batch",
    access: "admin",
    body: z.object({ ids }),
    handler: ({ ctx, body }) => deleteChannels(ctx, body.ids),
  }),
  route({
    method: "POST",
    path: "/batch/tag",
    access: "admin",
    body: z.object({ ids, tag: z.string().nullish() }),
    handler: ({ ctx, body }) => tagChannels(ctx, body.ids, body.tag ?? null),
  }),
  route({
    method: "PUT",
    path: "/tag",
    access: "admin",
    body: wireChannelSchema
      .pick({ priority: true, weight: true, model_mapping: true, models: true, group: true, groups: true })
      .extend({ tag: z.string("channelTagMissing"), new_tag: z.string().nullish() }),
    // Its limits are each channel's own: on a tag they would have no effect.
    row: channelRow.omit({ requests_per_minute: true, tokens_per_minute: true, concurrency_limit: true }),
    handler: async ({ ctx, body }) => {
      const { priority, weight, modelMapping, models, group } = fromWireChannel(body);
      // Clients send "" for fields they do not change. On a whole tag "" therefore means "keep".
      const filled = (text: string | undefined) => (text === "" ? undefined : text);
      await updateTag(ctx, {
        tag: body.tag,
        ...defined({
          newTag: body.new_tag,
          priority,
          weight,
          modelMapping: filled(modelMapping),
          models: filled(models),
          group: filled(group),
        }),
      });
    },
  }),
  route({
    method: "POST",
    path: "/tag/enabled",
    access: "admin",
    body: tag,
    handler: async ({ ctx, body }) => void (await setTagStatus(ctx, body.tag, CHANNEL_STATUS.enabled)),
  }),
  route({
    method: "POST",
    path: "/tag/disabled",
    access: "admin",
    body: tag,
    handler: async ({ ctx, body }) => void (await setTagStatus(ctx, body.tag, CHANNEL_STATUS.disabled)),
  }),
];
