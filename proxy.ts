import { type NextRequest, NextResponse } from "next/server";
import { formOrigins, framedOrigins } from "@/app/framed-origins";
import { consoleDatabase, isDatabaseAway } from "@/lib/console-database";
import { awayPage, type PageFailures } from "@/lib/http/away-page";
import { contentSecurityPolicy, type OtherOrigins } from "@/lib/http/content-policy";
import { localeOf } from "@/lib/http/message";
import { isAskedByOtherUser } from "@/lib/http/page-user";
import { chooseLocale, LOCALE_COOKIE } from "@/lib/i18n/locale";
import { logger } from "@/lib/logger";
import { loadOptions } from "@/lib/option/queries";
import { OTHER_USER_HEADER, PATH_HEADER } from "@/lib/page-user";
import { cookieIn } from "@/lib/request/cookie";

/** Sets the content security policy with a fresh nonce per page. Does no authorisation. */
export async function proxy(request: NextRequest): Promise<NextResponse> {
  // The router then loads the whole page anew, instead of showing one user's data under another's name.
  if (request.method === "GET" && (await isAskedByOtherUser(request.headers)))
    return new NextResponse(null, { status: 409, headers: { [OTHER_USER_HEADER]: "1", "cache-control": "no-store" } });
  const nonce = Buffer.from(crypto.randomUUID()).toString("base64");
  const origins = await originsFor(request);
  if (origins === "away") return awayAnswer(request);
  const policy = contentSecurityPolicy(nonce, origins, process.env.NODE_ENV !== "production");
  const headers = new Headers(request.headers);
  headers.set("x-nonce", nonce);
  headers.set("content-security-policy", policy);
  headers.set(PATH_HEADER, pathOf(request));
  const response = NextResponse.next({ request: { headers } });
  response.headers.set("content-security-policy", policy);
  response.headers.set("referrer-policy", "same-origin");
  response.headers.set("x-content-type-options", "nosniff");
  return response;
}

/** The requested page, so that sign-in can return to it. */
function pathOf({ nextUrl }: NextRequest): string {
  const search = new URLSearchParams(nextUrl.search);
  search.delete("_rsc");
  return search.size > 0 ? `${nextUrl.pathname}?${search}` : nextUrl.pathname;
}

const NONE: OtherOrigins = { frames: [], forms: [] };

/**
 * Other origins that pages frame and post forms to, read from the options. A document's policy also applies to pages
 * opened inside it by client navigation, so every document gets these origins; RSC data for an open page needs no
 * policy. "away" = the database cannot serve, so the page could not either.
 */
async function originsFor(request: NextRequest): Promise<OtherOrigins | "away"> {
  if (request.method !== "GET" || request.headers.has("rsc")) return NONE;
  try {
    const options = await loadOptions(consoleDatabase().db);
    return { frames: framedOrigins(options), forms: formOrigins(options) };
  } catch (error) {
    if (isDatabaseAway(error)) return "away";
    // The page itself reports why the options cannot be read; the policy falls back to its strictest form.
    logger.error({ err: error }, "the options for the content security policy could not be read");
    return NONE;
  }
}

/** Tells people and probes that it is for a moment: an error while a page renders would be a 500. */
function awayAnswer(request: NextRequest): NextResponse {
  const { status, headers, html } = awayPage(localeOf(request));
  return new NextResponse(html, { status, headers });
}

/** For a page that loses the database while it renders. */
(globalThis as PageFailures).weirAwayPage = ({ cookie = "", "accept-language": languages = null }) =>
  awayPage(chooseLocale(cookieIn(new Headers({ cookie }), LOCALE_COOKIE), languages));

export const config = {
  matcher: ["/((?!api/|v1/|v1beta/|pg/|mj/|suno/|_next/static|_next/image|favicon.ico|icon.svg|logo.png).*)"],
};
