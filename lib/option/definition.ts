import { z } from "zod";

/** Values travel and rest as text (contract §3); the schema turns that text into what the code uses. */
export type OptionDefinition = {
  schema: z.ZodType<unknown, string>;
  /** The default, as text. */
  default: string;
  /** A secret is sealed at rest and never read back through the API. */
  secret?: true;
  /** "relay": gateways reload their snapshot. Left out = read when needed. */
  effect?: "relay";
};

export const flag = z.enum(["true", "false"]).transform((value) => value === "true");
export const line = z.string().trim().max(2_000);
export const block = z.string().max(1_000_000);
/** An absolute http(s) address without its trailing slashes, or nothing. */
export const address = z
  .string()
  .trim()
  .max(2_000)
  .transform((value) => value.replace(/\/+$/, ""))
  .refine((value) => value === "" || /^https?:\/\/[^\s]+$/i.test(value), { message: "address" });

/** A decimal number in text within bounds; "" and text are refused, never read as 0. */
export function number(bounds: { min: number; max?: number; integer?: boolean }) {
  return z
    .string()
    .trim()
    .regex(/^-?\d+(\.\d+)?$/, { message: "number" })
    .transform(Number)
    .refine((value) => value >= bounds.min && value <= (bounds.max ?? Number.MAX_SAFE_INTEGER), { message: "range" })
    .refine((value) => !bounds.integer || Number.isInteger(value), { message: "integer" });
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
export function jsonText<Shape extends z.ZodType>(shape: Shape) {
  return z
    .string()
    .max(1_000_000)
    .transform(parseJson)
    .pipe(shape as z.ZodType<z.output<Shape>, unknown>);
}

/** JSON object of non-negative numbers: model or group → ratio or price. */
export const ratioMap = jsonText(z.record(z.string().min(1).max(255), z.number().min(0).max(1e9)));
export const textMap = jsonText(z.record(z.string().min(1).max(64), z.string().max(255)));

/** Words or phrases, one a line; blank lines do not count. */
export const lines = z
  .string()
  .max(200_000)
  .transform((value) =>
    value
      .split("\n")
      .map((item) => item.trim())
      .filter((item) => item !== ""),
  );
