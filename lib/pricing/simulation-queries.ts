import { priceUsage, resolvePrice } from "@/lib/billing/price";
import type { ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { usableGroups } from "@/lib/group/queries";
import { splitMeterKey } from "@/lib/meters";
import { loadOptions } from "@/lib/option/queries";
import { parseInput } from "@/lib/validation";
import { listPrices } from "./queries";
import { type SimulationInput, simulationSchema } from "./schemas";
import type { SimulatedCharge } from "./types";

/**
 * The charge of one request, computed by the relay's settlement function. Public, for the models and groups on the
 * visitor's price page. Throws invalid for others.
 */
export async function simulateCharge(ctx: ServiceContext, input: SimulationInput): Promise<SimulatedCharge> {
  const { model, group, meter: key, quantity, ...tokens } = parseInput(simulationSchema, input);
  const options = await loadOptions(ctx.db);
  const usable = usableGroups(options, ctx.actor.type === "user" ? ctx.actor.group : null);
  const ratio = usable.find(({ name }) => name === group)?.ratio;
  if (ratio === undefined) throw new AppError("invalid", "groupUnknown", { group });
  const { models } = await listPrices(ctx);
  const price = models.some(({ modelName }) => modelName === model) ? resolvePrice(model, ratio, options) : null;
  if (!price) throw new AppError("invalid", "simulationModelUnknown", { field: "model" });
  const meter = splitMeterKey(key);
  const usage = {
    ...tokens,
    cacheWriteTokens: 0,
    estimated: false,
    ...(meter ? { meters: [{ ...meter, quantity }] } : {}),
  };
  const { quota, lines } = priceUsage(usage, price);
  return { quota, groupRatio: ratio, lines: lines.map((line) => ({ ...line })) };
}
