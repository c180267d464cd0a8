import type { Database } from "@/db/client";
import { spendOnce } from "@/lib/auth/one-time-secret/commands";
import { AppError } from "@/lib/errors";

const KIND = "amount-change";
/** For so long a form may send a change again whose answer was lost. */
const KEPT_SECONDS = 7 * 86_400;

/** A change of an amount that has no ledger, by the name that its client gave it. `field` is the amount's in the form. */
type NamedChange = { name: string; amount: number; field: string };

/**
 * Notes a change in the transaction that makes it. False where it was made before, so that it must not be made again. Throws conflict
 * where another amount was changed under this name: the client has not heard of that, and began with the amount before it.
 */
export async function isFirstChange(tx: Database, { name, amount, field }: NamedChange): Promise<boolean> {
  const kept = { kind: KIND, lifetimeSeconds: KEPT_SECONDS };
  const isNew = await spendOnce(tx, { ...kept, subject: name });
  const isNewAmount = await spendOnce(tx, { ...kept, subject: `${name}:${amount}` });
  if (!isNew && isNewAmount) throw amountSavedBefore(field);
  return isNew;
}

/** The client's change of before was saved, and its answer was lost. */
export function amountSavedBefore(field: string): AppError {
  return new AppError("conflict", "amountSavedBefore", { field });
}
