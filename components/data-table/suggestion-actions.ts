"use server";

import { action } from "@/lib/http/action";
import { suggestValues } from "@/lib/suggestion/queries";
import { suggestInput } from "@/lib/suggestion/schemas";

/** Existing values for the filters of lists. */
export const suggest = action(suggestInput, suggestValues);
