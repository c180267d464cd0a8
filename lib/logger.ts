import pino from "pino";
import { LOG_SETTINGS } from "./log-settings";

/** The structured log of the process. Never pass secrets or request bodies to it. */
export const logger = pino(LOG_SETTINGS);
