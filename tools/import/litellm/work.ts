import type { ServiceContext } from "@/lib/context";
import { sha256Hex } from "@/lib/crypto";
import type { Findings } from "../findings";
import type { Lookups } from "../lookup-queries";
import type { OnCollision } from "../types";

/** What one kind of row is imported with, all in one transaction. */
export type Work = {
  /** `db` is the transaction; in a dry run the database, of which it only reads. */
  ctx: ServiceContext;
  /** Of a batch; `newLookups` for the next, so that memory does not grow. */
  lookups: Lookups;
  newLookups: () => Lookups;
  findings: Findings;
  sourceId: number;
  dryRun: boolean;
  onCollision: OnCollision;
};

/** A number for a text that names something there: 52 bits of its hash. */
export function numberOf(identity: string): number {
  return Number.parseInt(sha256Hex(identity).slice(0, 13), 16);
}
