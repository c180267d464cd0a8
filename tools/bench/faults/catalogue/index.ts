import type { Fault } from "../fault";
import { bodyFaults } from "./bodies";
import { connectionFaults } from "./connections";
import { cutFaults } from "./cuts";
import { errorEventFaults } from "./error-events";
import { statusFaults } from "./statuses";
import { waitFaults } from "./waits";

/** Everything that an upstream can do wrong, as far as Weir promises something about it. */
export const faults: readonly Fault[] = [
  ...statusFaults,
  ...connectionFaults,
  ...waitFaults,
  ...cutFaults,
  ...errorEventFaults,
  ...bodyFaults,
];
