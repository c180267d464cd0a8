import { logger } from "@/lib/logger";
import type { RelayError } from "./relay-error";

/** To be called where a request is refused: what found the trouble does not know whose request it was. */
export function logTrouble({ trouble }: RelayError, request: string): void {
  if (trouble) logger.error({ err: trouble.cause, request }, trouble.what);
}
