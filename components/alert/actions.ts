"use server";

import { refresh } from "next/cache";
import {
  muteAlert as mute,
  deleteAlert as remove,
  saveAlert as save,
  setAlertEnabled as setEnabled,
  testAlert as test,
} from "@/lib/alert/commands";
import { alertEnabledSchema, alertIdSchema, alertMuteSchema, saveAlertSchema } from "@/lib/alert/schemas";
import { action } from "@/lib/http/action";

export const saveAlert = action(saveAlertSchema, async (ctx, input) => {
  await save(ctx, input);
  refresh();
});

export const setAlertEnabled = action(alertEnabledSchema, async (ctx, input) => {
  await setEnabled(ctx, input);
  refresh();
});

export const muteAlert = action(alertMuteSchema, async (ctx, input) => {
  await mute(ctx, input);
  refresh();
});

export const deleteAlert = action(alertIdSchema, async (ctx, input) => {
  await remove(ctx, input);
  refresh();
});

export const testAlert = action(alertIdSchema, (ctx, input) => test(ctx, input));
