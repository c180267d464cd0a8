import pino from "pino";
import { env } from "./env";
import { toErrorRecord } from "./error-record";

/** The structured log of the process. Never pass secrets or request bodies to it. */
export const logger = pino({
  level: env().WEIR_LOG_LEVEL,
  base: { pid: process.pid },
  serializers: { err: toErrorRecord },
});
