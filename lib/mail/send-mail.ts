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

const ANSWER_MAX = 1_000;

/**
 * Sends one e-mail and returns what the server answered, accepted or not: for operators who set the server up. It may
 * name the recipient, so it is not logged. Throws unavailable when no server is configured.
 */
export async function tryMail(db: Database, mail: Mail): Promise<{ error: AppError | null; answer: string }> {
  const settings = toMailSettings(await loadOptions(db));
  try {
    return { error: null, answer: (await transmit(settings, mail)).slice(0, ANSWER_MAX) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { error, answer: answerOf(error) };
  }
}

/** The server's own words; when it said nothing, why the connection failed. */
function answerOf({ cause }: AppError): string {
  const { response, message, errors } = (cause ?? {}) as { response?: unknown; message?: unknown; errors?: unknown };
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined;
  const said = [response, first instanceof Error ? first.message : message].find((text) => typeof text === "string");
  return typeof said === "string" ? said.slice(0, ANSWER_MAX) : "";
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
