import { eq } from "drizzle-orm";
import type { z } from "zod";
import { channels } from "@/db/schema";
import { writeAudit } from "@/lib/audit/commands";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { requireProofOfSession } from "@/lib/proof";
import { parseInput } from "@/lib/validation";
import { lockChannel } from "./commands";
import { privateAllowedSchema } from "./schemas";

/**
 * Allows or forbids a channel to connect to private networks. Only root decides, whoever set the address; a session needs
 * a fresh proof. Throws not_found.
 */
export async function setPrivateAllowed(
  ctx: ServiceContext,
  input: z.input<typeof privateAllowedSchema>,
): Promise<void> {
  requireRole(ctx, ROLE.root);
  requireProofOfSession(ctx);
  const { id, allowed } = parseInput(privateAllowedSchema, input);
  await ctx.db.transaction(async (tx) => {
    const { privateAllowed } = await lockChannel(tx, id);
    if (privateAllowed === allowed) return;
    await tx.update(channels).set({ privateAllowed: allowed }).where(eq(channels.id, id));
    await writeAudit(tx, ctx, {
      action: "channel.trust",
      subject: `channel:${id}`,
      before: { privateAllowed },
      after: { privateAllowed: allowed },
    });
  });
}
