import { randomUUID } from "node:crypto";
import type { Database } from "@/db/client";
import { nowSeconds } from "@/lib/clock";
import type { ServiceContext } from "@/lib/context";
import { notify } from "@/lib/notify/notify-commands";

/** Notifies the owner that a second factor was added or removed. Call it in the transaction of the change. */
export async function tellFactorChange(tx: Database, ctx: ServiceContext, userId: number): Promise<void> {
  await notify(tx, {
    userId,
    event: "second_factor_changed",
    params: { clientIp: ctx.clientIp, at: nowSeconds() },
    dedupeKey: `second-factor:${randomUUID()}`,
  });
}
