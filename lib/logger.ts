import pino from "pino";
import { env } from "./env";

/** The structured log of the process. Never pass secrets or request bodies to it. */
export const logger = pino({ level: env().WEIR_LOG_LEVEL, base: { pid: process.pid } });
