import type { Sql } from "@/db/client";
import { writeAudit } from "@/lib/audit/commands";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { listRefused, type RefusedCharge, type Retried, retryRefused } from "./refused-commands";
import { createSettlementStore } from "./settlement-batch";

const SHOWN = 100;

export async function listRefusedCharges(ctx: ServiceContext, sql: Sql): Promise<RefusedCharge[]> {
  requireRole(ctx, ROLE.root);
  return listRefused(sql, SHOWN);
}

/** Tries to book all of them now, instead of with the next run of the job. */
export async function retryRefusedCharges(ctx: ServiceContext, sql: Sql): Promise<Retried> {
  requireRole(ctx, ROLE.root);
  const retried = await retryRefused(sql, createSettlementStore(sql));
  await writeAudit(ctx.db, ctx, { action: "charge.retry", subject: "charge", after: retried });
  return retried;
}
