import { z } from "zod";

export const paletteSearchSchema = z.object({
  term: z.string().trim().min(1, "valueInvalid").max(1_000, "valueInvalid"),
});
export type PaletteSearch = z.output<typeof paletteSearchSchema>;
