"use server";

import { getLocale } from "next-intl/server";
import { action } from "@/lib/http/action";
import { searchEverything } from "@/lib/palette/queries";
import { paletteSearchSchema } from "@/lib/palette/schemas";

/** Search results of the command palette, beside its fixed pages and commands. */
export const findAnything = action(paletteSearchSchema, async (ctx, input) =>
  searchEverything(ctx, input, await getLocale()),
);
