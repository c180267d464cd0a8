import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { logSource } from "./source";

/** The models in everybody's log (administrators). */
export async function listLoggedModels(ctx: ServiceContext): Promise<string[]> {
  requireRole(ctx, ROLE.admin);
  return logSource(ctx).models("%");
}
