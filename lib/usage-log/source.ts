import type { ServiceContext } from "@/lib/context";
import { logStore } from "@/lib/log-store/store";
import { bothSource } from "./both-source-queries";
import { postgresSource } from "./postgres-source-queries";
import type { LogSource } from "./source-types";

/** Where this process reads the rows of the usage log. */
export function logSource({ db }: Pick<ServiceContext, "db">): LogSource {
  const store = logStore();
  return store === null ? postgresSource(db) : bothSource(db, store);
}
