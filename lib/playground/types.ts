import type { PriceRow } from "@/lib/billing/types";
import type { UsableGroup } from "@/lib/group/types";

/** A group of the playground with the models of its enabled channels. */
export type PlaygroundGroup = UsableGroup & { models: string[] };

export type PlaygroundChoices = {
  /** The current user's own group first. */
  groups: PlaygroundGroup[];
  /** Price of each model at group ratio 1; a model without a price cannot be used. */
  prices: Record<string, PriceRow>;
};
