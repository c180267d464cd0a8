import type { IncomingHttpHeaders } from "node:http";
import { AppError } from "@/lib/errors";
import type { Locale } from "@/lib/i18n/locale";
import { errorMessage } from "./message";

export type AwayPage = { status: number; headers: Record<string, string>; html: string };

/** The page shown while the database cannot serve. It asks again by itself, and needs no script. */
export function awayPage(locale: Locale): AwayPage {
  const text = errorMessage(new AppError("unavailable", "databaseAway"), locale);
  const head =
    '<meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta http-equiv="refresh" content="5">';
  const style =
    "font-family:system-ui,sans-serif;max-width:480px;margin:15vh auto;padding:24px;color-scheme:light dark";
  return {
    status: 503,
    headers: {
      "cache-control": "no-store",
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
      "content-type": "text/html; charset=utf-8",
      "retry-after": "5",
    },
    html: `<!doctype html><html lang="${locale}" style="${style}"><head>${head}<title>Weir</title></head><body><p>${text}</p></body></html>`,
  };
}

/** What the server around Next.js and Next.js's own bundles share; each has a copy of every module. */
export type PageFailures = {
  /** Set by the server: told of every error of a page, in the context of its request. */
  weirPageFailed?: (error: unknown) => void;
  /** Set by the bundle that knows all texts. */
  weirAwayPage?: (headers: IncomingHttpHeaders) => AwayPage;
};
