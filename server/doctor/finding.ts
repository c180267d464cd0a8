import { AppError } from "@/lib/errors";
import { englishText } from "@/lib/i18n/english-text";

export type Level = "ok" | "warning" | "problem";
/** One line of `weir doctor`. `advice` says what to do; it is absent only when all is well. Never holds a secret. */
export type Finding = { check: string; level: Level; text: string; advice?: string };

export const ok = (check: string, text: string): Finding => ({ check, level: "ok", text });
export const warning = (check: string, text: string, advice: string): Finding => ({
  check,
  level: "warning",
  text,
  advice,
});
export const problem = (check: string, text: string, advice: string): Finding => ({
  check,
  level: "problem",
  text,
  advice,
});

/** A URL or an error may quote a password. */
export function withoutSecrets(text: string): string {
  return text.replace(/:\/\/[^/@\s]*@/g, "://…@");
}

export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return messageOf(error.errors[0]);
  if (error instanceof AppError) return withoutSecrets(englishText(error));
  return withoutSecrets(error instanceof Error ? error.message : String(error));
}
