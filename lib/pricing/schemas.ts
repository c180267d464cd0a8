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
});
export type SimulationInput = z.input<typeof simulationSchema>;
