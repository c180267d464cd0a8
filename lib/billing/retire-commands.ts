import type { Sql } from "@/db/client";
import { findLogged } from "./journal-queries";
import { bookSettlements } from "./settlement-batch";
import type { SettlementRow } from "./settlement-row";
import { removeNodes } from "./sweep";

/**
 * Books what a dead process left behind, against its own leases, and then returns the rest of those: in one transaction,
 * so that nobody is admitted on quota that is already spent. The lock on the node's row makes sure that nothing of the
 * process is booked later. Resolves to the number of notes booked.
 */
export async function retireNode(
  sql: Sql,
  nodeId: string,
  settlements: readonly SettlementRow[],
  notes: readonly SettlementRow[],
): Promise<number> {
  return sql.begin(async (tx) => {
    const [node] = await tx`select 1 from nodes where id = ${nodeId} for update`;
    // The settlement of a running request has another time than the note, and thus another key.
    const logged = await findLogged(
      tx,
      notes.map((row) => row.requestId),
    );
    const open = notes.filter((row) => !logged.has(row.requestId));
    await bookSettlements(tx, node ? nodeId : null, [...settlements, ...open]);
    await removeNodes(tx, [nodeId]);
    return open.length;
  });
}
