import { sql } from "drizzle-orm";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";

/** The models in everybody's log (administrators). Few among many rows, so each is found by one index lookup. */
export async function listLoggedModels(ctx: ServiceContext): Promise<string[]> {
  requireRole(ctx, ROLE.admin);
  return listModelsLike(ctx, "%");
}

/** The models in the log that match a pattern of LIKE, without a check of who asks. */
export async function listModelsLike({ db }: ServiceContext, pattern: string): Promise<string[]> {
  const rows = await db.execute<{ model: string }>(sql`
    with recursive step as (
      (select model_name as model from usage_logs where not hidden order by 1 limit 1)
      union all
      select (select model_name from usage_logs where not hidden and model_name > step.model order by 1 limit 1)
      from step where step.model is not null
    )
    select model from step where model like ${pattern}`);
  return rows.map(({ model }) => model);
}
