import type { TransactionSql } from "postgres";
import type { Sql } from "@/db/client";
import { findBookedLongAgo } from "./booked-long-ago";
import { findLogged } from "./journal-queries";
import { bookSettlements } from "./settlement-batch";
import type { SettlementRow } from "./settlement-row";
import { removeNodes } from "./sweep";

/** A statement has a time limit, and a process can leave tens of thousands of charges behind. */
const AT_ONCE = 500;

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
    const logged = await findLogged(tx, notes);
    const longAgo = await findBookedLongAgo([...settlements, ...notes]);
    const open = notes.filter((row) => !logged.has(row.requestId) && !longAgo.hasRequest(row));
    const left = settlements.filter((row) => !longAgo.hasSettlement(row));
    await bookInParts(tx, node ? nodeId : null, [...left, ...open]);
    await removeNodes(tx, [nodeId]);
    return open.length;
  });
}

/** All locks come first and in the order of every flush, so that no flush and no other replay waits for this one in a circle. */
async function bookInParts(tx: TransactionSql, nodeId: string | null, rows: readonly SettlementRow[]): Promise<void> {
  if (rows.length > AT_ONCE) {
    const users = rows.map(({ userId }) => userId);
    const tokens = rows.map(({ tokenId }) => tokenId);
    await tx`select from users where id = any(${users}::int[]) order by id for no key update`;
    await tx`
      select from tokens where id = any(${tokens}::int[]) and user_id = any(${users}::int[]) order by id for no key update`;
  }
  for (let from = 0; from < rows.length; from += AT_ONCE) {
    await bookSettlements(tx, nodeId, rows.slice(from, from + AT_ONCE));
  }
}
