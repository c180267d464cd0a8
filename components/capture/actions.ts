"use server";

import { refresh } from "next/cache";
import { z } from "zod";
import {
  captureIdSchema,
  captureKeySchema,
  deleteCaptures as clear,
  deleteCapture as remove,
  setKeyCapture as set,
} from "@/lib/capture/commands";
import { action } from "@/lib/http/action";

export const setKeyCapture = action(captureKeySchema, async (ctx, input) => {
  await set(ctx, input);
  refresh();
});

export const deleteCapture = action(captureIdSchema, (ctx, input) => remove(ctx, input));

export const deleteCaptures = action(z.undefined(), async (ctx) => {
  await clear(ctx);
  refresh();
});
