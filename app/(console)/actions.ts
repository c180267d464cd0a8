"use server";

import { getLocale } from "next-intl/server";
import { z } from "zod";
import { action } from "@/lib/http/action";
import { checkOnboarding } from "@/lib/onboarding/queries";
import { searchEverything } from "@/lib/palette/queries";
import { paletteSearchSchema } from "@/lib/palette/schemas";
import { suggestValues } from "@/lib/suggestion/queries";
import { suggestInput } from "@/lib/suggestion/schemas";

/** Search results of the command palette, beside its fixed pages and commands. */
export const findAnything = action(paletteSearchSchema, async (ctx, input) =>
  searchEverything(ctx, input, await getLocale()),
);

/** Polled by the checklist while it is on screen. */
export const onboardingSteps = action(z.object({}), (ctx) => checkOnboarding(ctx));

/** Existing values for the filters of lists. */
export const suggest = action(suggestInput, suggestValues);
