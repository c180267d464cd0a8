import { z } from "zod";
import { resolvePrice } from "@/lib/billing/resolve-price";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import type { OperationId } from "@/lib/operations";
import { loadOptions } from "@/lib/option/queries";
import { servesOperation } from "@/lib/provider-catalogue";
import { operationOfName } from "@/lib/provider-catalogue/channel-tests";
import { parseInput } from "@/lib/validation";

const MODELS_MAX = 5_000;

export const modelCheckSchema = z.object({
  type: z.number().int(),
  models: z.array(z.string().max(255)).max(MODELS_MAX),
});

/** What would make requests to some models of a channel fail. */
export type ModelCheck = {
  /** Without a price: requests to them are refused. */
  unpriced: string[];
  /** Their names say that they are for something that the channel's type does not serve. */
  unserved: { model: string; operation: OperationId }[];
};

/** Checks the models of a channel before it is saved (administrators). */
export async function checkModels(ctx: ServiceContext, input: z.input<typeof modelCheckSchema>): Promise<ModelCheck> {
  requireRole(ctx, ROLE.admin);
  const { type, models } = parseInput(modelCheckSchema, input);
  const options = await loadOptions(ctx.db);
  const unserved = models.flatMap((model) => {
    const operation = operationOfName(model);
    return operation === null || servesOperation(type, operation) ? [] : [{ model, operation }];
  });
  return { unpriced: models.filter((model) => resolvePrice(model, 1, options) === null), unserved };
}
