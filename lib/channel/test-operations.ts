import type { OperationId } from "@/lib/operations";
import { rows } from "@/lib/relay/providers/rows";
import { testableOperations } from "@/lib/relay/side/channel-tests/choose-test";

/** What a channel of this type can be tested with. */
export function operationsToTest(type: number): OperationId[] {
  return testableOperations(rows.get(type)).map(({ id }) => id);
}
