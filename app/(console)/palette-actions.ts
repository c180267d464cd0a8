"use server";

import { action } from "@/lib/http/action";
import { searchEverything } from "@/lib/palette/queries";
import { paletteSearchSchema } from "@/lib/palette/schemas";

/** What the command palette finds beyond pages and commands. */
export const findAnything = action(paletteSearchSchema, searchEverything);
