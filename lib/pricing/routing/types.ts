import type { Coverage } from "../effect/types";
import type { Replayed, Routed } from "./replay";

/** A channel as far as routing goes. */
export type RoutingRow = {
  id: number;
  name: string;
  priority: number;
  weight: number;
  isEnabled: boolean;
  groups: string[];
  /** How many models it has. */
  models: number;
};

export type RoutingShift = {
  id: number;
  /** "" = it is deleted. */
  name: string;
  /** Requests that it really had. */
  actual: number;
  before: Routed;
  after: Routed;
};

export type RoutingEffect = {
  /** Null = the traffic was too much to be replayed in time. */
  coverage: Coverage | null;
  channels: RoutingShift[];
  noneBefore: Replayed["none"];
  noneAfter: Replayed["none"];
};
