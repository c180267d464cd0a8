import { unstable_rethrow } from "next/navigation";
import { getTranslations } from "next-intl/server";
import type { z } from "zod";
import { getContext } from "@/lib/auth/session";
import type { ServiceContext } from "@/lib/context";
import { AppError, type ErrorCode } from "@/lib/errors";
import { errorTexts } from "@/lib/i18n/error-text";
import { logger } from "@/lib/logger";
import { hasNul } from "./body";

/** The result of a server action: data, or a translated message, per field where the field is known. */
export type ActionResult<Data> =
  | { ok: true; data: Data }
  | { ok: false; code: ErrorCode; message: string; fields: Record<string, string> };

/** Makes a server action from a schema and a command: resolves the user, parses the input and translates errors. */
export function action<Schema extends z.ZodType, Data>(
  schema: Schema,
  run: (ctx: ServiceContext, input: z.output<Schema>) => Promise<Data>,
): (input: z.input<Schema>) => Promise<ActionResult<Data>> {
  return async (input) => {
    try {
      if (hasNul(input)) throw new AppError("invalid", "parametersInvalid");
      const parsed = schema.safeParse(input);
      if (!parsed.success) return await refuseInput(parsed.error);
      return { ok: true, data: await run(await getContext(), parsed.data) };
    } catch (error) {
      unstable_rethrow(error);
      return await refuse(error);
    }
  };
}

async function refuse(error: unknown): Promise<ActionResult<never>> {
  const known = error instanceof AppError ? error : null;
  if (!known) logger.error({ err: error }, "a server action failed");
  const say = await messages();
  const message = known ? say(known.messageKey, known.params) : say("internal");
  const { field } = known?.params ?? {};
  return {
    ok: false,
    code: known?.code ?? "internal",
    message,
    fields: typeof field === "string" && field !== "" ? { [field]: message } : {},
  };
}

async function refuseInput(error: z.ZodError): Promise<ActionResult<never>> {
  const say = await messages();
  const fields: Record<string, string> = {};
  for (const issue of error.issues) fields[issue.path.join(".")] ??= say(issue.message);
  return { ok: false, code: "invalid", message: say("checkInput"), fields };
}

/** An unknown key (a validator's own sentence) becomes a general message. */
async function messages() {
  const [text, t] = await Promise.all([errorTexts(), getTranslations("errors")]);
  return (key: string, params: Record<string, string | number> = {}): string => text(key, params) ?? t("valueInvalid");
}
