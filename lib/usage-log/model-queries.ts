import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { readAvailable } from "@/lib/log-store/read-available";
import { logSource } from "./source";

/** The models in everybody's log (administrators), to choose from: while the log store is away, those that are known. */
export async function listLoggedModels(ctx: ServiceContext): Promise<string[]> {
  requireRole(ctx, ROLE.admin);
  const { result } = await readAvailable(() => logSource(ctx).models("%"));
  return result;
}
