import type { Database } from "@/db/client";
import { AppError } from "@/lib/errors";
import { logger } from "@/lib/logger";
import { loadOptions } from "@/lib/option/queries";
import { toMailSettings } from "./settings";
import { type Mail, transmit } from "./transport";

/**
 * Sends one e-mail through the configured server. Resolves when the server has accepted it. Throws AppError with a
 * message that a visitor may see; the server's error goes to the log, which contains neither recipient nor content.
 */
export async function sendMail(db: Database, mail: Mail): Promise<void> {
  const settings = toMailSettings(await loadOptions(db));
  try {
    await transmit(settings, mail);
  } catch (error) {
    const { host, port } = settings;
    if (error instanceof AppError) logger.warn({ host, port, reason: reasonOf(error) }, "a message could not be sent");
    throw error;
  }
}

/** Only error code and reply number: the server's text may name the recipient. */
function reasonOf(error: AppError): { key: string; code: string; reply: number | null } {
  const { code, responseCode } = (error.cause ?? {}) as { code?: unknown; responseCode?: unknown };
  return {
    key: error.messageKey,
    code: typeof code === "string" ? code : "",
    reply: typeof responseCode === "number" ? responseCode : null,
  };
}
