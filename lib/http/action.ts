import { headers } from "next/headers";
import { unstable_rethrow } from "next/navigation";
import { getTranslations } from "next-intl/server";
import type { z } from "zod";
import { getContext } from "@/lib/auth/session";
import { consoleDatabase, orDatabaseAway } from "@/lib/console-database";
import type { ServiceContext } from "@/lib/context";
import { AppError, type Clash, type ErrorCode } from "@/lib/errors";
import { errorTexts } from "@/lib/i18n/error-text";
import { logger } from "@/lib/logger";
import { noteWrite } from "@/lib/replica/last-write-commands";
import { clientIpOf } from "@/lib/request/client-address";
import { requireOwnOrigin } from "./origin";
import { requirePageUser } from "./page-user";
import { assertPlainData } from "./plain-data";
import { limitCall, type RateClass } from "./rate-limit";

/** The result of a server action: data, or a translated message, per field where the field is known. */
export type ActionResult<Data> =
  | { ok: true; data: Data }
  | {
      ok: false;
      code: ErrorCode;
      message: string;
      fields: Record<string, string>;
      /** What somebody else has changed meanwhile. */
      clashes?: readonly Clash[];
    };

type ActionOptions = {
  /** That of the same call in /api. */
  limit?: RateClass;
  /** The call acts for nobody who is signed in, as a sign-in does, so that it is taken from a page of any user. */
  fromAnyPage?: true;
};

/** The options of each server action, for the tests over all of them. */
const made = new WeakMap<object, ActionOptions>();

/** The rate class of a server action; null for a function that `action` did not make. */
export function rateClassOf(one: object): RateClass | null {
  const options = made.get(one);
  return options ? (options.limit ?? "global") : null;
}

/** Whether a server action is taken from a page of any user. */
export function isFromAnyPage(one: object): boolean {
  return made.get(one)?.fromAnyPage ?? false;
}

/**
 * Makes a server action from a schema and a command: guards the call, resolves the user, who must be the one
 * whom the page was made for, parses the input and translates errors.
 */
export function action<Schema extends z.ZodType, Data>(
  schema: Schema,
  run: (ctx: ServiceContext, input: z.output<Schema>) => Promise<Data>,
  options: ActionOptions = {},
): (input: z.input<Schema>) => Promise<ActionResult<Data>> {
  const { limit = "global", fromAnyPage = false } = options;
  const one = async (input: z.input<Schema>): Promise<ActionResult<Data>> => {
    try {
      await guard(limit);
      assertPlainData(input);
      const ctx = await getContext();
      if (!fromAnyPage) requirePageUser(await headers(), ctx.actor);
      const parsed = schema.safeParse(input);
      if (!parsed.success) return await refuseInput(parsed.error);
      const data = await run(ctx, parsed.data).finally(() => noteWrite(ctx));
      return { ok: true, data };
    } catch (error) {
      unstable_rethrow(error);
      return await refuse(error);
    }
  };
  made.set(one, options);
  return one;
}

async function guard(limit: RateClass): Promise<void> {
  const sent = await headers();
  requireOwnOrigin(sent);
  const waitSeconds = await limitCall({ db: consoleDatabase().db, clientIp: clientIpOf(sent) }, limit, "action");
  if (waitSeconds > 0) throw new AppError("rate_limited", "tooManyRequests");
}

async function refuse(thrown: unknown): Promise<ActionResult<never>> {
  const error = orDatabaseAway(thrown);
  const known = error instanceof AppError ? error : null;
  if (!known) logger.error({ err: error }, "a server action failed");
  const say = await messages();
  const message = known ? say(known.messageKey, known.params) : say("internal");
  const { field } = known?.params ?? {};
  const clashes = known?.clashes ?? [];
  const marked = [
    ...(typeof field === "string" && field !== "" ? [field] : []),
    ...clashes.map((clash) => clash.field),
  ];
  return {
    ok: false,
    code: known?.code ?? "internal",
    message,
    fields: Object.fromEntries(marked.map((name) => [name, message])),
    ...(clashes.length === 0 ? {} : { clashes }),
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
