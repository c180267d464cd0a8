import type { OperationId } from "@/lib/operations";
import { testableOperations } from "@/lib/relay/choose-test";
import { rows } from "@/lib/relay/upstreams/rows";

/** What a channel of this type can be tested with. */
export function operationsToTest(type: number): OperationId[] {
  return testableOperations(rows.get(type)).map(({ id }) => id);
}
