import type { OperationId } from "@/lib/operations";
import { channelTypes } from "@/lib/provider-catalogue";
import { operationsToTest } from "@/lib/provider-catalogue/channel-tests";
import { operations } from "../../operations";
import type { Operation, OperationTest } from "../../operations/operation";

export type Testable = Operation & { test: OperationTest };

/**
 * What a test asks a model: `wanted`, else what the model is for, as far as its name and the channel's type tell. Null = the
 * type has no such operation.
 */
export function chooseTest(type: number, model: string, wanted: OperationId | null): Testable | null {
  const served = operationsToTest(type);
  const testable = operations.filter(
    (operation): operation is Testable => operation.test !== undefined && served.includes(operation.id),
  );
  const byId = (id: OperationId) => testable.find((operation) => operation.id === id);
  if (wanted !== null) return byId(wanted) ?? null;
  const usual = channelTypes.get(type)?.test ?? "chat";
  return testable.find(({ test }) => test.models?.test(model)) ?? byId(usual) ?? testable[0] ?? null;
}
