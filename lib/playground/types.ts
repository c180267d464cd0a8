import type { PriceRow } from "@/lib/billing/types";
import type { UsableGroup } from "@/lib/group/types";

/** A group of the playground with the models that enabled channels serve in it. */
export type PlaygroundGroup = UsableGroup & { models: string[] };

export type PlaygroundChoices = {
  /** The caller's own group first. */
  groups: PlaygroundGroup[];
  /** Price of each model at group ratio 1; a model without one cannot be asked. */
  prices: Record<string, PriceRow>;
};
