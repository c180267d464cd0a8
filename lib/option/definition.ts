import { z } from "zod";
import { isModelMeterPrices, type MeterPrices } from "@/lib/meters";
import { compilePatterns } from "@/lib/patterns";
import type { OptionCard } from "./cards";
import { isScriptAddress } from "./image-address";
import { readOrigin } from "./origin";
import type { OptionBounds, OptionControl, OptionUnit, PendingFeature, RunningEffect } from "./types";

/**
 * Whether a change needs a recent proof of identity: every option that is a secret, or that decides who may sign in or
 * where a secret, a link or a payment goes.
 */
type Delicacy =
  /** A secret is sealed in the database and never returned by the API. */
  { secret: true; delicate: true } | { secret?: never; delicate: boolean };

/** Values are stored and sent as text (contract §3); the schema converts the text. */
export type OptionDefinition = Delicacy & {
  schema: z.ZodType<unknown, string>;
  /** The default, as text. */
  default: string;
  /** What a change does to API requests that are running. */
  running: RunningEffect;
  /** "relay": gateways reload their snapshot after a change. Absent = read when needed. */
  effect?: "relay";
  /** The card of the settings page; absent = settable by the API only. */
  card?: OptionCard;
  /** How the console edits it; absent = the control of the schema, else a line of text. */
  control?: OptionControl;
  unit?: OptionUnit;
  /** An option that must be set before this switch can be turned on (contract §3.3). */
  needs?: string;
  /** An option that must be set before this one can be (A148). */
  requires?: string;
  /** Not used until Weir has this feature, as the console says; a test checks that the mark is right. */
  pending?: PendingFeature;
  /** Never used; clients of the wire contract send and expect it. */
  isUnused?: true;
};

/** Control and bounds of the schemas below, for the console. */
type Hints = { control: OptionControl } & OptionBounds & { choices?: readonly string[] };

const hints = z.registry<Hints>();

/** Control and bounds of a definition; its own `control` takes precedence over the schema's. */
export function hintsOf(definition: OptionDefinition): Hints {
  const own = hints.get(definition.schema) ?? { control: "text" };
  return definition.control ? { ...own, control: definition.control } : own;
}

export const flag = z
  .enum(["true", "false"])
  .transform((value) => value === "true")
  .register(hints, { control: "switch" });

export const line = z.string().trim().max(2_000);

/** A link, also to an app of its own scheme; never an address that runs a script. */
export const link = line.refine((text) => !isScriptAddress(text), { message: "script" });

/** HTML or Markdown. */
export const block = z.string().max(1_000_000).register(hints, { control: "markup" });

/** An absolute http(s) URL without trailing slashes, or "". */
export const address = z
  .string()
  .trim()
  .max(2_000)
  .transform((value) => value.replace(/\/+$/, ""))
  .refine((value) => value === "" || isWebAddress(value), { message: "address" })
  .register(hints, { control: "url" });

function isWebAddress(text: string): boolean {
  return /^https?:\/\/[^\s]+$/i.test(text) && URL.canParse(text);
}

/** One of the given words. */
export function choice<const Words extends readonly [string, ...string[]]>(words: Words) {
  return (z.enum(words) as z.ZodType<Words[number], string>).register(hints, { control: "choice", choices: words });
}

/** A decimal number within bounds; "" and other text are refused, never read as 0. */
export function number(bounds: OptionBounds & { min: number }) {
  return z
    .string()
    .trim()
    .regex(/^-?\d{1,30}(\.\d{1,30})?$/, { message: "number" })
    .transform(Number)
    .refine((value) => value >= bounds.min && value <= (bounds.max ?? Number.MAX_SAFE_INTEGER), { message: "range" })
    .refine((value) => !bounds.integer || Number.isInteger(value), { message: "integer" })
    .register(hints, { control: "number", ...bounds });
}

function parseJson(text: string, ctx: z.RefinementCtx): unknown {
  try {
    return JSON.parse(text);
  } catch {
    ctx.addIssue({ code: "custom", message: "json" });
    return z.NEVER;
  }
}

/** JSON text of a given shape. */
export function jsonText<Shape extends z.ZodType>(shape: Shape, control: OptionControl = "json") {
  return z
    .string()
    .max(1_000_000)
    .transform(parseJson)
    .pipe(shape as z.ZodType<z.output<Shape>, unknown>)
    .register(hints, { control });
}

/** JSON object of non-negative numbers: model or group → ratio or price. */
export const ratioMap = jsonText(z.record(z.string().min(1).max(255), z.number().min(0).max(1e9)), "ratioMap");
/** JSON object: model → meter, maybe with a variant, → USD per unit. */
export const meterMap = jsonText(z.custom<Record<string, MeterPrices>>(isModelMeterPrices), "meterMap");
export const textMap = jsonText(z.record(z.string().min(1).max(64), z.string().max(255)), "textMap");

/** Words or phrases, one per line; blank lines are ignored. */
export const lines = z
  .string()
  .max(200_000)
  .transform((value) =>
    value
      .split("\n")
      .map((item) => item.trim())
      .filter((item) => item !== ""),
  )
  .register(hints, { control: "lines" });

/** Origins of web pages (https://chat.example.com), one per line, or "*". */
export const origins = lines
  .transform((list) => list.map((item) => readOrigin(item) ?? ""))
  .refine((list) => list.every((item) => item !== ""), { message: "origin" })
  .register(hints, { control: "origins" });

/**
 * Domains of e-mail addresses, separated by commas. Only what is saved is checked: where a stored list had one entry that is
 * none, the default would stand in its place.
 */
export const domains = z.string().trim().max(2_000).register(hints, { control: "domains" });

/** Regular expressions, one per line, that are simple enough to be run on any text. */
export const patterns = lines
  .refine((list) => compilePatterns(list) !== null, { message: "patterns" })
  .register(hints, { control: "patterns" });

/** Some of the given words, one per line. */
export function linesOf(words: readonly string[]) {
  return lines
    .refine((given) => given.every((word) => words.includes(word)), { message: "choice" })
    .register(hints, { control: "lines", choices: words });
}
