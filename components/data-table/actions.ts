"use server";

import { refresh } from "next/cache";
import { action } from "@/lib/http/action";
import {
  deleteView as remove,
  renameView as rename,
  saveView as save,
  setDefaultView as setDefault,
} from "@/lib/saved-view/commands";
import { defaultViewSchema, renameViewSchema, saveViewSchema, viewIdSchema } from "@/lib/saved-view/schemas";
import { suggestValues } from "@/lib/suggestion/queries";
import { suggestInput } from "@/lib/suggestion/schemas";

export const saveView = action(saveViewSchema, async (ctx, input) => {
  const { id } = await save(ctx, input);
  refresh();
  return { id };
});

export const renameView = action(renameViewSchema, async (ctx, input) => {
  await rename(ctx, input);
  refresh();
});

export const setDefaultView = action(defaultViewSchema, async (ctx, input) => {
  await setDefault(ctx, input);
  refresh();
});

export const deleteView = action(viewIdSchema, async (ctx, { id }) => {
  await remove(ctx, id);
  refresh();
});

/** Existing values for the filters of lists. */
export const suggest = action(suggestInput, suggestValues);
