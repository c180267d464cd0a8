import { AppError } from "@/lib/errors";
import { chooseLocale, LOCALE_COOKIE, type Locale } from "@/lib/i18n/locale";
import { cookieOf } from "@/lib/request/cookie";
import en from "@/messages/en.json";
import zh from "@/messages/zh.json";
import type { FieldNote } from "./body-fields";

const QUOTE_LENGTH_MAX = 200;

const texts: Record<Locale, Record<string, string>> = { zh: zh.errors, en: en.errors };

/** The language of a request: the user's choice, else the browser's preference. */
export function localeOf(request: Request): Locale {
  return chooseLocale(cookieOf(request, LOCALE_COOKIE), request.headers.get("accept-language"));
}

/** The translated message of an error. Anything but an AppError becomes "internal", because its text may contain secrets. */
export function errorMessage(error: unknown, locale: Locale): string {
  const known = error instanceof AppError ? error : new AppError("internal", "internal");
  return filled(texts[locale][known.messageKey] ?? known.messageKey, known.params);
}

function filled(text: string, params: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => quote(String(params[name] ?? whole)));
}

/** Shortens quoted user input. */
function quote(text: string): string {
  return text.length > QUOTE_LENGTH_MAX ? `${text.slice(0, QUOTE_LENGTH_MAX)}…` : text;
}

const notes: Record<Locale, Record<keyof typeof zh.fieldNote, string>> = { zh: zh.fieldNote, en: en.fieldNote };

/** Why a field of a body did nothing. */
export function noteMessage(note: FieldNote, locale: Locale): string {
  const texts = notes[locale];
  const { field } = note;
  if (note.code === "read_only") return filled(texts.readOnly, { field });
  if (note.code === "no_effect") return filled(texts.noEffect, { field, because: texts[note.because] });
  return note.meant === undefined
    ? filled(texts.unknown, { field })
    : filled(texts.misspelt, { field, meant: note.meant });
}

const replies: Record<Locale, Record<keyof typeof zh.reply, string>> = { zh: zh.reply, en: en.reply };

/** A confirmation in the language of the request; `key` is a key under "reply". */
export function replyMessage(request: Request, key: keyof typeof zh.reply): string {
  return replies[localeOf(request)][key];
}
