"use server";

import { refresh } from "next/cache";
import { getTranslations } from "next-intl/server";
import { z } from "zod";
import { bulkTargetSchema } from "@/lib/channel/bulk-schemas";
import { circuitSchema, closeCircuit as close } from "@/lib/channel/circuit-commands";
import {
  createChannels as create,
  deleteDisabledChannels,
  refreshChannels,
  deleteChannel as remove,
  setChannelStatus as setStatus,
  updateChannel as update,
} from "@/lib/channel/commands";
import { copyChannel as copy } from "@/lib/channel/copy-commands";
import { addChannelKeys, removeChannelKey, setChannelKeyStatus, setKeyMode } from "@/lib/channel/key-commands";
import { checkModels as check, modelCheckSchema } from "@/lib/channel/model-check-queries";
import { createChannelSchema, privateAllowedSchema, updateChannelSchema, updateTagSchema } from "@/lib/channel/schemas";
import { setTagStatus as setStatusOfTag, updateTag as updateByTag } from "@/lib/channel/tag-commands";
import { setPrivateAllowed } from "@/lib/channel/trust-commands";
import { action } from "@/lib/http/action";
import { errorTexts } from "@/lib/i18n/error-text";
import { OPERATIONS } from "@/lib/operations";
import { CHANNEL_STATUS } from "@/lib/row-status";
import { KEY_MODES } from "@/lib/snapshot/channel-setting";

type Say = (key: string, params: Record<string, string | number>) => string;

/** Translates errors that were collected instead of thrown. Unknown keys become "internal". */
async function translateError(): Promise<Say> {
  const [text, t] = await Promise.all([errorTexts(), getTranslations("errors")]);
  return (key, params) => text(key, params) ?? t("internal");
}

const idSchema = z.object({ id: z.number().int().positive() });
const nothing = z.object({});

/** They load the relay, so they wait for the first who asks an upstream. */
const channelTests = () => import("@/lib/channel/test-commands");
const upstreams = () => import("@/lib/channel/upstream-commands");

export const createChannels = action(createChannelSchema, async (ctx, input) => {
  const made = await create(ctx, input);
  refresh();
  return made.map(({ id, name }) => ({ id, name }));
});

export const checkModels = action(modelCheckSchema, (ctx, input) => check(ctx, input));

export const updateChannel = action(updateChannelSchema, async (ctx, input) => {
  await update(ctx, input);
  refresh();
});

export const allowPrivate = action(privateAllowedSchema, async (ctx, input) => {
  await setPrivateAllowed(ctx, input);
  refresh();
});

const statusSchema = idSchema.extend({
  status: z.union([z.literal(CHANNEL_STATUS.enabled), z.literal(CHANNEL_STATUS.disabled)]),
});

export const setChannelStatus = action(statusSchema, async (ctx, { id, status }) => {
  await setStatus(ctx, [id], status);
  refresh();
});

export const deleteChannel = action(idSchema, async (ctx, { id }) => {
  await remove(ctx, id);
  refresh();
});

export const copyChannel = action(idSchema.extend({ suffix: z.string().max(32) }), async (ctx, { id, suffix }) => {
  const copied = await copy(ctx, id, suffix);
  refresh();
  return copied;
});

const testSchema = idSchema.extend({
  model: z.string().max(255),
  keyId: z.number().int().optional(),
  operation: z.enum(OPERATIONS).optional(),
});

export const testChannel = action(testSchema, async (ctx, { id, ...choice }) => {
  const { runChannelTest } = await channelTests();
  const result = await runChannelTest(ctx, id, choice);
  refresh();
  return result;
});

export const startTestRun = action(z.object({ target: bulkTargetSchema.optional() }), async (ctx, { target }) => {
  const { startChannelTestRun } = await channelTests();
  await startChannelTestRun(ctx, target);
});

export const updateBalance = action(idSchema, async (ctx, { id }) => {
  const { updateChannelBalance } = await upstreams();
  const balance = await updateChannelBalance(ctx, id);
  refresh();
  return balance;
});

export const updateBalances = action(nothing, async (ctx) => {
  const { updateAllBalances } = await upstreams();
  const { updated, failed } = await updateAllBalances(ctx);
  refresh();
  const say = await translateError();
  return {
    updated,
    failed: failed.map(({ id, name, message, params }) => ({ id, name, message: say(message, params) })),
  };
});

export const deleteDisabled = action(nothing, async (ctx) => {
  const count = await deleteDisabledChannels(ctx);
  refresh();
  return count;
});

export const fixChannels = action(nothing, (ctx) => refreshChannels(ctx));

export const updateTag = action(updateTagSchema, async (ctx, input) => {
  const count = await updateByTag(ctx, input);
  refresh();
  return count;
});

const tagStatusSchema = z.object({
  tag: z.string().min(1),
  status: z.union([z.literal(CHANNEL_STATUS.enabled), z.literal(CHANNEL_STATUS.disabled)]),
});

export const setTagStatus = action(tagStatusSchema, async (ctx, { tag, status }) => {
  const count = await setStatusOfTag(ctx, tag, status);
  refresh();
  return count;
});

export const closeCircuit = action(circuitSchema, async (ctx, input) => {
  await close(ctx, input);
  refresh();
});

const keySchema = idSchema.extend({ keyId: z.number().int().positive() });

export const addKeys = action(idSchema.extend({ keys: z.string() }), async (ctx, { id, keys }) => {
  const count = await addChannelKeys(ctx, id, keys);
  refresh();
  return count;
});

export const setKeyStatus = action(
  keySchema.extend({ status: z.union([z.literal(CHANNEL_STATUS.enabled), z.literal(CHANNEL_STATUS.disabled)]) }),
  async (ctx, { id, keyId, status }) => {
    await setChannelKeyStatus(ctx, id, keyId, status);
    refresh();
  },
);

export const removeKey = action(keySchema, async (ctx, { id, keyId }) => {
  await removeChannelKey(ctx, id, keyId);
  refresh();
});

export const chooseKeyMode = action(idSchema.extend({ mode: z.enum(KEY_MODES) }), async (ctx, { id, mode }) => {
  await setKeyMode(ctx, id, mode);
  refresh();
});
