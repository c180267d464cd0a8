import { z } from "zod";

/** What a variable is for, and what it may be; in English, for operators. */
export type AboutVariable = { meaning: string; allowed: string; isSecret: boolean };

const ON = ["true", "1", "on", "yes"];
const OFF = ["false", "0", "off", "no"];

const about = (meaning: string, allowed: string, isSecret = false): AboutVariable => ({ meaning, allowed, isSecret });
const trimmed = () => z.string().trim();

/** Any text, or one for which `isOne` holds. */
export function text(meaning: string, allowed = "a text", isOne: (value: string) => boolean = () => true) {
  return trimmed().refine(isOne).meta(about(meaning, allowed));
}

/** A text that is never shown. It is taken as it is. */
export function secret(meaning: string, lengthMin = 1) {
  const allowed = lengthMin > 1 ? `at least ${lengthMin} characters long` : "a text";
  return z
    .string()
    .min(lengthMin)
    .meta(about(meaning, allowed, true));
}

export function url(meaning: string) {
  return trimmed()
    .pipe(z.url())
    .meta(about(meaning, "a complete URL", true));
}

/** One of a few words, in any case. */
export function oneOf<const Value extends string>(values: readonly Value[], meaning: string) {
  const byName = new Map(values.map((value) => [value.toLowerCase(), value]));
  return trimmed()
    .transform((value, issues): Value => {
      const found = byName.get(value.toLowerCase());
      if (found !== undefined) return found;
      issues.addIssue("none of them");
      return z.NEVER;
    })
    .meta(about(meaning, `one of ${values.join(", ")}`));
}

/** On, unless it says otherwise. */
export function onUnless(meaning: string) {
  return flag(meaning).default(true);
}

/** Off, unless it says otherwise. */
export function offUnless(meaning: string) {
  return flag(meaning).default(false);
}

function flag(meaning: string) {
  return trimmed()
    .transform((value, issues): boolean => {
      const lower = value.toLowerCase();
      if (ON.includes(lower)) return true;
      if (OFF.includes(lower)) return false;
      issues.addIssue("neither");
      return z.NEVER;
    })
    .meta(about(meaning, "true or false (1 or 0, on or off, yes or no)"));
}

export function number(meaning: string, min: number, max = Number.POSITIVE_INFINITY) {
  return numeric(/^\d+(\.\d+)?$/, min, max).meta(about(meaning, `a number ${rangeOf(min, max)}`));
}

export function seconds(meaning: string, min: number, max: number) {
  return numeric(/^\d+(\.\d+)?$/, min, max).meta(about(meaning, `a number of seconds ${rangeOf(min, max)}`));
}

export function whole(meaning: string, min: number, max = Number.MAX_SAFE_INTEGER) {
  return numeric(/^\d+$/, min, max).meta(about(meaning, `a whole number ${rangeOf(min, max)}`));
}

export function port(meaning: string) {
  return numeric(/^\d+$/, 0, 65_535).meta(about(meaning, "a port, from 0 (any free one) to 65535"));
}

function numeric(form: RegExp, min: number, max: number) {
  return trimmed().regex(form).transform(Number).pipe(z.number().min(min).max(max));
}

function rangeOf(min: number, max: number): string {
  return max >= Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
}
