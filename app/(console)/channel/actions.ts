"use server";

import { refresh } from "next/cache";
import { z } from "zod";
import {
  createChannels as create,
  deleteChannel as remove,
  setChannelStatus as setStatus,
  updateChannel as update,
} from "@/lib/channel/commands";
import { createChannelSchema, updateChannelSchema } from "@/lib/channel/schemas";
import { runChannelTest } from "@/lib/channel/test-commands";
import { action } from "@/lib/http/action";

const idSchema = z.object({ id: z.number().int().positive() });

export const createChannels = action(createChannelSchema, async (ctx, input) => {
  await create(ctx, input);
  refresh();
});

export const updateChannel = action(updateChannelSchema, async (ctx, input) => {
  await update(ctx, input);
  refresh();
});

const statusSchema = idSchema.extend({ status: z.union([z.literal(1), z.literal(2)]) });

export const setChannelStatus = action(statusSchema, async (ctx, { id, status }) => {
  await setStatus(ctx, [id], status);
  refresh();
});

export const deleteChannel = action(idSchema, async (ctx, { id }) => {
  await remove(ctx, id);
  refresh();
});

const testSchema = idSchema.extend({ model: z.string().max(255) });

export const testChannel = action(testSchema, async (ctx, { id, model }) => {
  const result = await runChannelTest(ctx, id, model);
  refresh();
  return result;
});
