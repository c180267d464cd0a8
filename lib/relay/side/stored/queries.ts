import { databaseOf, type Sql } from "@/db/client";
import { loadOptions } from "@/lib/option/queries";
import type { OptionValues } from "@/lib/option/registry";

/** For jobs, which have no snapshot. */
export function optionsInForce(sql: Sql): Promise<OptionValues> {
  return loadOptions(databaseOf(sql));
}
