import { env, environmentProblems } from "./env";
import { toErrorRecord } from "./error-record";

/** Of every logger of the process. */
export const LOG_SETTINGS = {
  level: wantedLevel(),
  base: { pid: process.pid },
  serializers: { err: toErrorRecord },
};

/** This is loaded before the start can judge the environment, which names all that is wrong in it at once. */
function wantedLevel(): string {
  return environmentProblems().length === 0 ? env().WEIR_LOG_LEVEL : "info";
}
