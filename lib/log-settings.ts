import { env } from "./env";
import { toErrorRecord } from "./error-record";

/** Of every logger of the process. */
export const LOG_SETTINGS = {
  level: env().WEIR_LOG_LEVEL,
  base: { pid: process.pid },
  serializers: { err: toErrorRecord },
};
