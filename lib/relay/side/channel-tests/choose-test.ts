import type { OperationId } from "@/lib/operations";
import { operations } from "../../operations";
import type { Operation, OperationTest } from "../../operations/operation";
import type { UpstreamRow } from "../../providers/channel-type";
import { servesChat } from "../../providers/serves-chat";

export type Testable = Operation & { test: OperationTest };

type Served = Pick<UpstreamRow, "serves" | "test" | "dialect">;

/** What a model is for, where its name says so; null = its name does not. */
export function operationOfName(model: string): OperationId | null {
  return operations.find(({ test }) => test?.models?.test(model))?.id ?? null;
}

/** What a channel of a type can be tested with; none where its upstream would have to work for it, such as draw. */
export function testableOperations(row: Served | undefined): Testable[] {
  if (!row || row.test === null) return [];
  return operations.filter(
    (operation): operation is Testable =>
      operation.test !== undefined &&
      (operation.id === "chat" ? servesChat(row) : row.serves[operation.id] !== undefined),
  );
}

/**
 * What a test asks a model: `wanted`, else what the model is for, as far as its name and the channel's type tell. Null = the
 * type has no such operation.
 */
export function chooseTest(row: Served | undefined, model: string, wanted: OperationId | null): Testable | null {
  const testable = testableOperations(row);
  const byId = (id: OperationId) => testable.find((operation) => operation.id === id);
  if (wanted !== null) return byId(wanted) ?? null;
  const usual = row?.test ?? "chat";
  return testable.find(({ test }) => test.models?.test(model)) ?? byId(usual) ?? testable[0] ?? null;
}
