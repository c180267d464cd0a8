"use server";

import { action } from "@/lib/http/action";
import { simulationSchema } from "@/lib/pricing/schemas";
import { simulateCharge as simulate } from "@/lib/pricing/simulation-queries";

/** Public: needs no session. */
export const simulateCharge = action(simulationSchema, (ctx, input) => simulate(ctx, input));
