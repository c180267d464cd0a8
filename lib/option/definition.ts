import { z } from "zod";
import type { OptionCard } from "./cards";
import type { OptionBounds, OptionControl, OptionUnit, PendingFeature } from "./types";

/** Values travel and rest as text (contract §3); the schema turns that text into what the code uses. */
export type OptionDefinition = {
  schema: z.ZodType<unknown, string>;
  /** The default, as text. */
  default: string;
  /** A secret is sealed at rest and never read back through the API. */
  secret?: true;
  /** "relay": gateways reload their snapshot. Left out = read when needed. */
  effect?: "relay";
  /** The card of the settings page; left out = settable at the wire only. */
  card?: OptionCard;
  /** How the console edits it; left out = as the schema's building block says, else a line of text. */
  control?: OptionControl;
  unit?: OptionUnit;
  /** An option that must hold something before this switch is turned on (contract §3.3). */
  needs?: string;
  /** An option that must hold something before this one may (A148). */
  requires?: string;
  /** Nothing reads it before Weir has this feature; the console says so, and a test holds the mark to the truth. */
  pending?: PendingFeature;
  /** Nothing will ever read it: clients of the wire contract send and expect it. */
  isUnused?: true;
};

/** What the building blocks below say about themselves, for the console. */
type Hints = { control: OptionControl } & OptionBounds & { choices?: readonly string[] };

const hints = z.registry<Hints>();

/** How a definition is edited and within which bounds; the definition's own word on the control wins. */
export function hintsOf(definition: OptionDefinition): Hints {
  const own = hints.get(definition.schema) ?? { control: "text" };
  return definition.control ? { ...own, control: definition.control } : own;
}

export const flag = z
  .enum(["true", "false"])
  .transform((value) => value === "true")
  .register(hints, { control: "switch" });

export const line = z.string().trim().max(2_000);

/** HTML or Markdown. */
export const block = z.string().max(1_000_000).register(hints, { control: "markup" });

/** An absolute http(s) address without its trailing slashes, or nothing. */
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

/** A decimal number in text within bounds; "" and text are refused, never read as 0. */
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
export const textMap = jsonText(z.record(z.string().min(1).max(64), z.string().max(255)), "textMap");

/** Words or phrases, one a line; blank lines do not count. */
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
