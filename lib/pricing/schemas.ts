import { z } from "zod";

const tokens = z.coerce
  .number("simulationTokensInvalid")
  .int("simulationTokensInvalid")
  .min(0, "simulationTokensInvalid")
  .max(100_000_000, "simulationTokensInvalid");

export const simulationSchema = z.object({
  model: z.string().trim().min(1, "simulationModelUnknown").max(255, "simulationModelUnknown"),
  group: z.string().trim().max(64, "groupUnknown"),
  /** Includes cached tokens. */
  promptTokens: tokens,
  cachedTokens: tokens,
  completionTokens: tokens,
  /** Of sound and pictures, among the tokens above. */
  audioPromptTokens: tokens.default(0),
  audioCompletionTokens: tokens.default(0),
  imagePromptTokens: tokens.default(0),
  /** A key of the model's meter prices; "" = none. */
  meter: z.string().max(80, "simulationTokensInvalid").default(""),
  quantity: z.coerce
    .number("simulationTokensInvalid")
    .min(0, "simulationTokensInvalid")
    .max(100_000_000, "simulationTokensInvalid")
    .default(0),
});
export type SimulationInput = z.input<typeof simulationSchema>;
