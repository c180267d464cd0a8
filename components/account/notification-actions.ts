"use server";

import { refresh } from "next/cache";
import { z } from "zod";
import { action } from "@/lib/http/action";
import { sendMail } from "@/lib/mail/send-mail";
import { preferencesSchema, saveTargetSchema, targetEnabledSchema, targetIdSchema } from "@/lib/notify/schemas";
import {
  deleteTarget as remove,
  saveTarget as save,
  savePreferences as savePreferred,
  setTargetEnabled as setEnabled,
} from "@/lib/notify/target-commands";
import { testTarget as test } from "@/lib/notify/test-commands";
import { checkWxPusherBinding, startWxPusherBinding } from "@/lib/notify/wxpusher-binding-commands";
import { confirmAddress } from "@/lib/registration/confirm-address-commands";

const nothing = z.undefined();

export const saveTarget = action(saveTargetSchema, async (ctx, input) => {
  const { madeSecret } = await save(ctx, input, confirmAddress);
  refresh();
  return { madeSecret };
});

export const setTargetEnabled = action(targetEnabledSchema, async (ctx, input) => {
  await setEnabled(ctx, input);
  refresh();
});

export const deleteTarget = action(targetIdSchema, async (ctx, input) => {
  await remove(ctx, input);
  refresh();
});

/** The row shows the result of the last test. So the page is refreshed even when the test fails. */
export const testTarget = action(targetIdSchema, async (ctx, input) => {
  try {
    await test(ctx, input, (mail) => sendMail(ctx.db, mail));
  } finally {
    refresh();
  }
});

export const savePreferences = action(preferencesSchema, async (ctx, input) => {
  await savePreferred(ctx, input);
  refresh();
});

export const startBinding = action(nothing, startWxPusherBinding);

export const checkBinding = action(nothing, async (ctx) => {
  const { state } = await checkWxPusherBinding(ctx);
  if (state === "bound") refresh();
  return { state };
});
