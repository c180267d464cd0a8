import { databaseAway, RelayError } from "../../base/relay-error";

/** The error for a caller whose limits could not be checked: nothing is admitted unchecked. */
export function throwAway(error: unknown): never {
  if (error instanceof RelayError) throw error;
  throw databaseAway({ what: "a limit could not be checked", cause: error });
}
